import { PlumblineError } from "../../../core/errors.js";
import { objectsAt, textAt } from "../../../core/json/value.js";
import type { OpenstackClient } from "../../openstack-client/client/client.js";
import { isOutcomeUnknown, OpenstackError } from "../../openstack-client/client/openstack-error.js";

/**
 * Whether the network service accepts tags in the create of every taggable object: the extension `tag-creation` shows it
 * (docs/contributing/devices/openstack.md#network). If unknown, tags are set with a separate request.
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
