import { addressNumber } from "../../core/address-range.js";
import { find, pathOf } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { DesiredNode } from "../../desired/model.js";
import type { MeaningChange } from "../../plan/model.js";

/** A node with its ancestors, the root element first. */
interface Place<Node extends TreeNode = TreeNode> {
  readonly chain: readonly Node[];
  /** Tags of the chain, joined by `/`. */
  readonly tags: string;
}

const MATCH_MEMBER = /rulebase\/[^/]+\/rules\/entry\/(?:from|to|source|destination|source-user|application|service|category)\/member$/;
const GROUP_MEMBER = /\/(?:address-group\/entry\/static|(?:service|application)-group\/entry\/members)\/member$/;
const SUB_INTERFACE = /\/interface\/(?:ethernet|aggregate-ethernet)\/entry\/layer[23]\/units\/entry$/;
const ZONE_MEMBER = /\/zone\/entry\/network\/(?:layer3|layer2|virtual-wire|tap)\/member$/;
const ROUTER_MEMBER = /\/network\/virtual-router\/entry\/interface\/member$/;
const ADDRESS = /\/network\/interface\/.*\/ip\/entry$/;
/** Tags below a device or a vsys that lead to no use of an interface or an address. */
const WITHOUT_USES =
  /\/(?:deviceconfig|rulebase|address|address-group|service|profiles|log-settings|routing-table|protocol|readonly|predefined)$/;

/**
 * Returns notes about declarations that are probably mistakes and that some devices accept. They do not refuse the plan. `live` is the tree
 * before the plan.
 */
export function doubtfulValues(desired: DesiredNode, live: TreeNode): MeaningChange[] {
  const notes: MeaningChange[] = [];
  const uses: Use[] = [];
  visit({ chain: [desired], tags: "" }, (place) => {
    if (place.chain.at(-1)?.declared !== true) return true;
    for (const message of doubtsAbout(place)) notes.push({ path: pathTo(place), message });
    uses.push(...useAt(place));
    return true;
  });
  return [...notes, ...usedTwice(uses, liveUses(desired, live))];
}

function visit<Node extends TreeNode>({ chain, tags }: Place<Node>, enter: (place: Place<Node>) => boolean): void {
  for (const child of (chain.at(-1) as Node).children as Node[]) {
    const place = { chain: [...chain, child], tags: `${tags}/${child.tag}` };
    if (enter(place) && child.children.length > 0) visit(place, enter);
  }
}

function pathTo({ chain: [root, ...steps] }: Place): Path {
  return steps.reduce(pathOf, Path.root.child(root?.tag ?? ""));
}

function doubtsAbout(place: Place): string[] {
  const { chain, tags } = place;
  const { tag, name = "", text } = chain.at(-1) as TreeNode;
  const above = (steps: number): string | undefined => chain.at(-1 - steps)?.name;
  const doubts: string[] = [];
  if (/ {2}|^ | $/.test(name)) doubts.push(`The name "${name}" has two spaces in a row, or a space at its start or end.`);
  if (tag === "ip-range" && isReversed(text)) doubts.push(`The range ${text} ends before it starts.`);
  if (tag === "member" && text !== "any" && text.toLowerCase() === "any" && MATCH_MEMBER.test(tags))
    doubts.push(`"${text}" is the name of an object. Write any in small letters for every value.`);
  if (tag === "member" && text === above(2) && GROUP_MEMBER.test(tags)) doubts.push(`Group "${text}" contains itself.`);
  if (tag === "entry" && SUB_INTERFACE.test(tags) && !name.startsWith(`${above(3)}.`))
    doubts.push(`Sub-interface "${name}" is declared below interface "${above(3)}".`);
  return doubts;
}

function isReversed(text: string): boolean {
  const [from, to] = text.split("-").map((part) => addressNumber(part.trim()));
  return from !== undefined && to !== undefined && from > to;
}

/** Use of an interface in a zone or router, or of an address on an interface. */
interface Use {
  /** Equal for uses that exclude each other. */
  readonly key: string;
  readonly holder: Path;
  readonly path: Path;
  readonly what: string;
}

function useAt(place: Place): Use[] {
  const { chain, tags } = place;
  const { tag, name = "", text } = chain.at(-1) as TreeNode;
  if (tag !== "member" && tag !== "entry") return [];
  const path = () => pathTo(place);
  const holder = (steps: number) => pathTo({ chain: chain.slice(0, -steps), tags });
  const device = chain.findLastIndex((_, at) => chain[at - 1]?.tag === "devices");
  const scope = chain.slice(0, device + 1).map((step) => step.name ?? step.tag);
  if (tag === "member" && (ZONE_MEMBER.test(tags) || ROUTER_MEMBER.test(tags)) && text !== "" && !text.includes("$")) {
    const [kind, steps] = ZONE_MEMBER.test(tags) ? ["zone", 3] : ["router", 2];
    return [{ key: [...scope, kind, text].join("\n"), holder: holder(steps as number), path: path(), what: `Interface "${text}"` }];
  }
  if (tag !== "entry" || !ADDRESS.test(tags) || !/^[0-9a-f.:]+\//i.test(name)) return [];
  return [{ key: [...scope, "address", name.split("/")[0]].join("\n"), holder: holder(2), path: path(), what: `Address ${name}` }];
}

/** Uses on the device in zones, routers and interfaces that no document mentions. */
function liveUses(desired: DesiredNode, live: TreeNode): Use[] {
  const uses: Use[] = [];
  visit({ chain: [live], tags: "" }, (place) => {
    uses.push(...useAt(place));
    return !WITHOUT_USES.test(place.tags);
  });
  return uses.filter(({ holder }) => find(desired, holder) === undefined);
}

function usedTwice(uses: readonly Use[], others: readonly Use[]): MeaningChange[] {
  const known = new Map(others.map((use) => [use.key, use]));
  const found: MeaningChange[] = [];
  for (const use of uses) {
    const other = known.get(use.key);
    known.set(use.key, use);
    if (other === undefined || other.holder.equals(use.holder)) continue;
    found.push({ path: use.path, message: `${use.what} is also used at ${other.path}.` });
  }
  return found;
}
