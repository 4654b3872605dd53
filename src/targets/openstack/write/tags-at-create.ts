import { PlumblineError } from "../../../core/errors.js";
import { objectsAt, textAt } from "../../../core/json/value.js";
import type { OpenstackClient } from "../client/client.js";
import { isOutcomeUnknown, OpenstackError } from "../client/openstack-error.js";

/**
 * Whether the network service takes tags in a create of any object that can have them: it says so by its extension `tag-creation`
 * (docs/devices/openstack.md#network). Where it does not say, it is taken not to: then they are set by a request of their own.
 */
export async function takesTagsAtCreate(client: OpenstackClient): Promise<boolean> {
  try {
    const { body } = await client.request({ service: "network", method: "GET", path: ["extensions"] });
    return objectsAt(body, "extensions").some((extension) => textAt(extension, "alias") === "tag-creation");
  } catch (error) {
    const isNoAnswer = error instanceof PlumblineError && error.code === "unexpected-http-status";
    if (isNoAnswer || error instanceof OpenstackError || isOutcomeUnknown(error)) return false;
    throw error;
  }
}
