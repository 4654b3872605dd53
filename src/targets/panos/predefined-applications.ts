import { PlumblineError } from "../../core/errors.js";
import { childByTag } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { PredefinedApplication } from "../../reachability/policy-role.js";
import type { PanosClient } from "./client/client.js";
import { getConfiguration } from "./client/commands.js";
import { defaultPorts } from "./policy/applications.js";

const PREDEFINED = Path.root.child("config").child("predefined");
const APPLICATIONS = PREDEFINED.child("application");
const CONTAINERS = PREDEFINED.child("application-container");
/** Exists on every device. A device reports a missing permission as absence, so this entry proves that absences are true. */
const EXISTS = "web-browsing";

/** Maximum number of names per request, so that a request stays short. */
const NAMES = 100;

/** Reads applications and containers from the content of a device. The complete list has several megabytes. Omits unreadable names. */
export async function readApplications(client: PanosClient, names: readonly string[]): Promise<ReadonlyMap<string, PredefinedApplication>> {
  const read = async (list: Path, wanted: readonly string[]): Promise<ReadonlyMap<string, TreeNode>> => {
    const xpath = `${list}/entry[${wanted.map((name) => `@name='${name}'`).join(" or ")}]`;
    const reply = await client.runIfPresent(getConfiguration("candidate", xpath));
    return new Map((reply?.result?.children ?? []).flatMap((node) => (node.name === undefined ? [] : [[node.name, node] as const])));
  };
  const quotable = names.filter((name) => !name.includes("'"));
  const found = new Map<string, PredefinedApplication>();
  try {
    for (let from = 0; from < quotable.length; from += NAMES) {
      const some = quotable.slice(from, from + NAMES);
      const applications = await read(APPLICATIONS, [...new Set([EXISTS, ...some])]);
      if (!applications.has(EXISTS)) return new Map();
      const containers = await read(CONTAINERS, some);
      for (const name of some) found.set(name, definitionOf(applications.get(name), containers.get(name)));
    }
    return found;
  } catch (error) {
    if (error instanceof PlumblineError) return new Map();
    throw error;
  }
}

function definitionOf(application: TreeNode | undefined, container: TreeNode | undefined): PredefinedApplication {
  if (application === undefined && container === undefined) return "missing";
  return { ports: application && defaultPorts(application), parts: container === undefined ? [] : functionsOf(container) };
}

function functionsOf(container: TreeNode): string[] {
  return childByTag(container, "functions")?.children.map(({ text }) => text) ?? [];
}
