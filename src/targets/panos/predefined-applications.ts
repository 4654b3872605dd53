import { PlumblineError } from "../../core/errors.js";
import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import { boundedMap } from "../../engine/bounded-map.js";
import type { PredefinedApplication } from "../../engine/policies.js";
import type { PanosClient } from "./client/client.js";
import { saysAbsent } from "./client/reply.js";
import { configRead } from "./client/request.js";
import { requireSuccess } from "./device-errors.js";
import { defaultPorts } from "./policy/applications.js";

const PREDEFINED = Path.root.child("config").child("predefined");
const APPLICATIONS = PREDEFINED.child("application");
const CONTAINERS = PREDEFINED.child("application-container");
/** Exists on every device. A device reports a missing permission as absence, so this entry proves that absences are true. */
const EXISTS = "web-browsing";

/**
 * Reads applications and containers from the content of a device, one entry per request: the complete list has several megabytes. Omits
 * names that could not be read.
 */
export async function readApplications(client: PanosClient, names: readonly string[]): Promise<ReadonlyMap<string, PredefinedApplication>> {
  const read = async (list: Path, name: string): Promise<TreeNode | undefined> => {
    const xpath = list.entry(name).toString();
    const reply = await client.send(configRead("get", xpath));
    if (saysAbsent(reply)) return undefined;
    const { result } = requireSuccess(reply, client.place, xpath);
    return result?.children.find((node) => node.tag === "entry" && node.name === name);
  };
  try {
    if ((await read(APPLICATIONS, EXISTS)) === undefined) return new Map();
    const found = await boundedMap(names, async (name): Promise<readonly [string, PredefinedApplication]> => {
      const container = await read(CONTAINERS, name);
      if (container !== undefined) return [name, { ports: undefined, parts: functionsOf(container) }];
      const application = await read(APPLICATIONS, name);
      return [name, application === undefined ? "missing" : { ports: defaultPorts(application), parts: [] }];
    });
    return new Map(found);
  } catch (error) {
    if (error instanceof PlumblineError) return new Map();
    throw error;
  }
}

function functionsOf(container: TreeNode): string[] {
  return childByTag(container, "functions")?.children.map(({ text }) => text) ?? [];
}
