import { canonicalText } from "../../../core/tree/canonical.js";
import { childByTag, shapeAt } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Limit } from "../../../insight/policy.js";
import { listed } from "../../../outcome/listed.js";
import { OF_TOPOLOGY } from "../deciding-fields.js";
import { openstackShape, ROOT_PATH } from "../shape.js";
import type { Group } from "./groups.js";

/** Maximum number of names per list. */
const NAMED = 6;
/** Lists whose new and deleted entries change no reachability themselves, or have rows of their own. */
const QUIET: ReadonlySet<string> = new Set(["networks", "ports", "servers"]);
const WORDS: ReadonlyMap<string, string> = new Map([
  ["routers", "Routers"],
  ["floatingips", "Floating IPs"],
  ["networks", "Networks"],
  ["ports", "Addresses of ports"],
  ["servers", "Networks of servers"],
  ["trunks", "Trunks"],
]);

/** Reports changes outside security groups that decide which addresses reach each other. */
export function topologyChanges(before: TreeNode, after: TreeNode): Limit[] {
  return [...OF_TOPOLOGY].flatMap(([list, fields]) => {
    const [former, next] = [entriesOf(before, list, fields), entriesOf(after, list, fields)];
    const names = [...new Set([...former.keys(), ...next.keys()])].filter(
      (name) => former.get(name) !== next.get(name) && !(QUIET.has(list) && former.has(name) !== next.has(name)),
    );
    return names.length === 0
      ? []
      : [ofChange(`${WORDS.get(list)} change (${listed(names, NAMED)}): which networks reach each other is not compared.`)];
  });
}

/** Reports groups that become stateless or stateful. */
export function statefulChanges(before: ReadonlyMap<string, Group>, after: ReadonlyMap<string, Group>): Limit[] {
  const names = [...after].filter(([name, { isStateful }]) => before.has(name) && before.get(name)?.isStateful !== isStateful);
  if (names.length === 0) return [];
  const text = listed(
    names.map(([name]) => name),
    NAMED,
  );
  return [ofChange(`Groups become stateful or stateless (${text}): which replies pass is not compared.`)];
}

const ofChange = (text: string): Limit => ({ text, doubtful: true, isOfChange: true });

function entriesOf(root: TreeNode, list: string, fields: ReadonlySet<string>): ReadonlyMap<string, string> {
  const entries = childByTag(root, list)?.children ?? [];
  return new Map(entries.map((entry) => [entry.name ?? "", textOf(entry, list, fields)]));
}

function textOf(entry: TreeNode, list: string, fields: ReadonlySet<string>): string {
  const place = ROOT_PATH.child(list).entry(entry.name ?? "");
  const kept = entry.children.filter(({ tag }) => fields.has(tag));
  return kept
    .map((child) => canonicalText(child, shapeAt(place.child(child.tag), openstackShape())))
    .sort()
    .join("\n");
}
