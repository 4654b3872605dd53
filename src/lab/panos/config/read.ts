import { TreeNode } from "../../../core/tree/node.js";
import { parseXPath, type XPath } from "../../../core/tree/xpath/xpath.js";
import type { Administrator } from "../access/administrators.js";
import type { LabDevice } from "../device.js";
import { noSuchNode, nothingFound } from "../device-messages.js";
import { type Reply, result, success } from "../http/reply.js";
import { type Chain, last } from "../tree/config-tree.js";
import { locate } from "../tree/locate.js";
import { serialise } from "../tree/serialise.js";
import { predefined } from "./predefined.js";

/** Clients that need only the names of a list select the attribute `@name`. The reply contains the entries without their contents. */
const NAMES = /^(.+)\/@name$/;

/**
 * Handles `get`: returns every candidate node that an xpath selects. If no node matches, or the xpath is malformed or missing, the reply
 * is success with code 7.
 */
export function get(device: LabDevice, admin: Administrator, xpath: string | undefined): Reply {
  const named = device.capabilities.extras ? NAMES.exec(xpath ?? "")?.[1] : undefined;
  const root = xpath?.startsWith("/config/predefined/") === true ? predefined : device.candidate.tree.root;
  const chains = readable(root, admin, named ?? xpath);
  if (chains.length === 0) throw nothingFound();
  if (named !== undefined) return success("19", counted(chains.map(last).map(({ tag, name }) => new TreeNode(tag, name, ""))));
  const marks = device.options.behavior?.marks ?? (device.capabilities.extras ? "changed" : "every");
  const nodes = marks === "changed" ? chains.map(last) : chains.map((chain) => withMarks(device, chain));
  return success("19", counted(nodes));
}

/** Handles `show`: returns the running configuration's node that an xpath selects, or the complete configuration without an xpath. */
export function show(device: LabDevice, admin: Administrator, xpath: string | undefined): Reply {
  const chains = xpath === undefined ? [[device.running]] : readable(device.running, admin, xpath);
  const [chain, second] = chains;
  if (chain === undefined || second !== undefined) throw noSuchNode();
  return result(serialise(last(chain), { marks: false }), "19");
}

/** Parses an xpath from a client. Returns undefined if the xpath is malformed. */
export function readXPath(text: string): XPath | undefined {
  try {
    return parseXPath(text);
  } catch {
    return undefined;
  }
}

function readable(root: TreeNode, admin: Administrator, text: string | undefined): Chain[] {
  const xpath = text === undefined ? undefined : readXPath(text);
  if (xpath === undefined || admin.role.hidden?.some((prefix) => xpath.text.startsWith(prefix)) === true) return [];
  return locate(root, xpath);
}

function* counted(nodes: readonly TreeNode[]): Generator<string> {
  yield `<result total-count="${nodes.length}" count="${nodes.length}">`;
  for (const node of nodes) yield* serialise(node, { marks: true });
  yield "</result>";
}

/**
 * The specification sets `admin` and `time` on each returned element. The values come from the nearest mark above, or default to `admin`
 * and the time of the first version.
 */
function withMarks(device: LabDevice, chain: Chain): TreeNode {
  const node = last(chain);
  if (node.attributes?.has("admin") === true) return node;
  const marked = chain.findLast((each) => each.attributes?.has("admin") === true);
  const admin = marked?.attributes?.get("admin") ?? "admin";
  const time = marked?.attributes?.get("time") ?? device.saved.versions[0]?.time ?? device.now();
  return new TreeNode(
    node.tag,
    node.name,
    node.text,
    node.children,
    new Map([...(node.attributes ?? []), ["admin", admin], ["time", time]]),
  );
}
