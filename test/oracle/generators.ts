import fc from "fast-check";
import { TreeNode } from "../../src/core/tree/node.js";
import { DesiredNode, type Handling } from "../../src/desired/model.js";

/**
 * Pairs of small trees below one vsys of `test/plan/diff/trees.ts`: desired and live, with unmanaged entries, ignored, kept, inherited and
 * `$partial` parts, uuids and unusual names. Each has at most `MAX_NODES` nodes below the vsys.
 */
export interface Pair {
  readonly desired: DesiredNode;
  readonly live: TreeNode;
  /** Exact XPath of a live or desired node to ignore, or undefined. */
  readonly ignored: string | undefined;
}

const MAX_NODES = 8;
const ODD_NAMES = ["a", "b'c", 'd"e', "f g/h", `i'j"k`, "1", "__proto__"];

interface LeafPair {
  readonly tag: string;
  readonly wanted: string | undefined;
  readonly found: string | undefined;
  readonly keep: boolean;
  readonly inherited: boolean;
}
interface MembersPair {
  readonly tag: string;
  readonly wanted: readonly string[] | undefined;
  readonly found: readonly string[] | undefined;
  readonly open: boolean;
  readonly excluded: string | undefined;
}
interface EntryPair {
  readonly name: string;
  readonly side: "both" | "wanted" | "found";
  readonly partial: boolean;
  readonly inherited: boolean;
  readonly leaves: readonly LeafPair[];
  readonly members: readonly MembersPair[];
}
interface ListPair {
  readonly tag: string;
  readonly exclusive: boolean;
  readonly declared: boolean;
  readonly entries: readonly EntryPair[];
}

const value = fc.constantFrom("x", "y", undefined);
const rarely = fc.integer({ min: 0, max: 9 }).map((n) => n === 0);

function leafPair(tag: string): fc.Arbitrary<LeafPair> {
  return fc.record({ tag: fc.constant(tag), wanted: value, found: value, keep: rarely, inherited: rarely });
}

function membersPair(tag: string, names: readonly string[]): fc.Arbitrary<MembersPair> {
  const texts = fc.option(fc.subarray([...names], { minLength: 1 }), { nil: undefined });
  return fc.record({
    tag: fc.constant(tag),
    wanted: texts,
    found: texts,
    open: rarely,
    excluded: fc.option(fc.constantFrom(...names), { nil: undefined, freq: 4 }),
  });
}

function entryPair(leaves: fc.Arbitrary<readonly LeafPair[]>, members: fc.Arbitrary<readonly MembersPair[]>): fc.Arbitrary<EntryPair> {
  return fc.record({
    name: fc.constantFrom(...ODD_NAMES),
    side: fc.constantFrom("both" as const, "both" as const, "wanted" as const, "found" as const),
    partial: rarely,
    inherited: rarely,
    leaves,
    members,
  });
}

/** Desired and live state may use different alternatives of the choice. */
const addressLeaves = fc
  .tuple(fc.constantFrom("fqdn", "ip-netmask"), leafPair("fqdn"), leafPair("ip-netmask"), leafPair("description"))
  .map(([side, ...leaves]) =>
    leaves.map((leaf) => (leaf.tag === "description" || leaf.tag === side ? leaf : { ...leaf, wanted: undefined, keep: false })),
  );
const addressEntry = entryPair(addressLeaves, fc.array(membersPair("tag", ["s", "t", "u", "v"]), { maxLength: 1 }));
const groupEntry = entryPair(fc.constant([]), fc.tuple(membersPair("static", ["a", "b", "c"])));
const meshEntry = entryPair(fc.tuple(leafPair("ip")), fc.constant([]));

function listPair(tag: string, entry: fc.Arbitrary<EntryPair>): fc.Arbitrary<ListPair> {
  const entries = fc.uniqueArray(entry, { minLength: 1, maxLength: 4, selector: (pair) => pair.name });
  return fc.record({ tag: fc.constant(tag), exclusive: fc.boolean(), declared: rarely.map((no) => !no), entries });
}

const settings = fc
  .tuple(leafPair("host"), leafPair("strange"))
  .chain((leaves) => fc.record({ leaves: fc.constant(leaves), members: fc.array(membersPair("things", ["p", "q"]), { maxLength: 1 }) }));
const rule = entryPair(fc.tuple(leafPair("description")), fc.tuple(membersPair("who", ["a", "any"])));

export const pair: fc.Arbitrary<Pair> = fc
  .record({
    name: fc.option(leafPair("display-name"), {
      nil: { tag: "display-name", wanted: undefined, found: undefined, keep: false, inherited: false },
      freq: 1,
    }),
    settings: fc.option(settings, { nil: undefined }),
    lists: fc
      .subarray(["address", "group", "mesh", "users"], { maxLength: 3 })
      .chain((tags) => fc.tuple(...tags.map((tag) => listOf(tag)))),
    ignored: fc.option(fc.nat(), { nil: undefined, freq: 3 }),
  })
  .map((world) => {
    const wanted = [...world.lists.flatMap(wantedList), ...wantedSettings(world.settings), ...wantedLeaf(world.name, false)];
    const found = [...world.lists.flatMap(foundList), ...foundSettings(world.settings), ...foundLeaf(world.name, false)];
    const desired = frame("config", undefined, [frame("vsys", undefined, [frame("entry", "v", wanted)])]);
    const live = new TreeNode("config", undefined, "", [new TreeNode("vsys", undefined, "", [new TreeNode("entry", "v", "", found)])]);
    return { desired, live, ignored: world.ignored === undefined ? undefined : pick([...xpaths(desired), ...xpaths(live)], world.ignored) };
  })
  .filter(
    ({ desired, live }) => size(desired) <= MAX_NODES + 3 && size(live) <= MAX_NODES + 3 && size(desired) + size(live) >= MAX_NODES + 6,
  );

function listOf(tag: string): fc.Arbitrary<ListPair> {
  if (tag === "address") return listPair(tag, addressEntry);
  if (tag === "group") return listPair(tag, groupEntry);
  return tag === "mesh" ? listPair(tag, meshEntry) : listPair(tag, rule);
}

function size(node: TreeNode): number {
  return node.children.reduce((sum, child) => sum + size(child), 1);
}

function frame(tag: string, name: string | undefined, children: readonly DesiredNode[]): DesiredNode {
  return new DesiredNode(tag, name, "", children, { origin: -1, prunes: false, declared: false });
}

function node(
  tag: string,
  name: string | undefined,
  text: string,
  children: readonly DesiredNode[],
  closed: boolean,
  handling?: Handling,
): DesiredNode {
  return new DesiredNode(tag, name, text, children, { origin: -1, prunes: closed, declared: true, handling });
}

function marked(
  tag: string,
  name: string | undefined,
  text: string,
  children: readonly TreeNode[],
  attributes: Record<string, string>,
): TreeNode {
  const entries = Object.entries(attributes);
  return new TreeNode(tag, name, text, children, entries.length === 0 ? undefined : new Map(entries));
}

function wantedList({ tag, exclusive, declared, entries }: ListPair): DesiredNode[] {
  if (!declared) return [];
  const children = entries.filter(({ side }) => side !== "found").map((entry) => wantedEntry(entry));
  return children.length === 0 && !exclusive ? [] : [node(tag, undefined, "", children, exclusive)];
}

function wantedEntry({ name, partial, leaves, members }: EntryPair): DesiredNode {
  const children = [...leaves.flatMap((leaf) => wantedLeaf(leaf, true)), ...members.flatMap(wantedMembers)];
  return node("entry", name, "", children, !partial);
}

function wantedLeaf({ tag, wanted, found, keep }: LeafPair, mayKeep: boolean): DesiredNode[] {
  if (wanted === undefined) return [];
  return [node(tag, undefined, wanted, [], true, mayKeep && keep && found !== undefined ? { keep: true } : undefined)];
}

function wantedMembers({ tag, wanted, open, excluded }: MembersPair): DesiredNode[] {
  if (wanted === undefined) return [];
  const members = wanted.map((text) => node("member", undefined, text, [], true));
  if (!open) return [node(tag, undefined, "", members, true)];
  const exclude = excluded === undefined || wanted.includes(excluded) ? [] : [excluded];
  return [node(tag, undefined, "", members, false, { exclude })];
}

function wantedSettings(pair: { leaves: readonly LeafPair[]; members: readonly MembersPair[] } | undefined): DesiredNode[] {
  if (pair === undefined) return [];
  const children = [...pair.leaves.flatMap((leaf) => wantedLeaf(leaf, false)), ...pair.members.flatMap(wantedMembers)];
  return children.length === 0 ? [] : [node("settings", undefined, "", children, false)];
}

function foundList({ tag, entries }: ListPair): TreeNode[] {
  const children = entries.filter(({ side }) => side !== "wanted").map(foundEntry);
  return children.length === 0 ? [] : [new TreeNode(tag, undefined, "", children)];
}

function foundEntry({ name, inherited, leaves, members }: EntryPair): TreeNode {
  const children = [...leaves.flatMap((leaf) => foundLeaf(leaf, true)), ...members.flatMap(foundMembers)];
  return marked("entry", name, "", children, { uuid: `uuid of ${name}`, ...(inherited ? { loc: "group" } : {}) });
}

function foundLeaf({ tag, found, inherited }: LeafPair, mayInherit: boolean): TreeNode[] {
  return found === undefined ? [] : [marked(tag, undefined, found, [], mayInherit && inherited ? { ptpl: "template" } : {})];
}

function foundMembers({ tag, found }: MembersPair): TreeNode[] {
  return found === undefined
    ? []
    : [
        new TreeNode(
          tag,
          undefined,
          "",
          found.map((text) => new TreeNode("member", undefined, text)),
        ),
      ];
}

function foundSettings(pair: { leaves: readonly LeafPair[]; members: readonly MembersPair[] } | undefined): TreeNode[] {
  const children = [...(pair?.leaves ?? []).flatMap((leaf) => foundLeaf(leaf, false)), ...(pair?.members ?? []).flatMap(foundMembers)];
  return children.length === 0 ? [] : [new TreeNode("settings", undefined, "", children)];
}

function pick(paths: readonly string[], at: number): string | undefined {
  return paths.length === 0 ? undefined : paths[at % paths.length];
}

/** XPaths of all nodes below the vsys. */
function xpaths(root: TreeNode): string[] {
  const vsys = root.children[0]?.children[0];
  return vsys === undefined ? [] : below(vsys, "/config/vsys/entry[@name='v']");
}

function below(parent: TreeNode, base: string): string[] {
  return parent.children.flatMap((child) => {
    const path = `${base}/${child.tag}${predicate(child)}`;
    return [path, ...below(child, path)];
  });
}

function predicate(child: TreeNode): string {
  if (child.name !== undefined) return `[@name=${literal(child.name)}]`;
  return child.tag === "member" ? `[text()=${literal(child.text)}]` : "";
}

function literal(text: string): string {
  if (!text.includes("'")) return `'${text}'`;
  if (!text.includes('"')) return `"${text}"`;
  return `concat(${text
    .split("'")
    .map((part) => `'${part}'`)
    .join(`, "'", `)})`;
}
