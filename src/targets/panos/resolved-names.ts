import { isIP } from "node:net";
import { addressRange } from "../../core/address-range.js";
import { PlumblineError } from "../../core/errors.js";
import { find } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { boundedMap } from "../../engine/bounded-map.js";
import type { View } from "../../plan/platform.js";
import type { AddressRange } from "../../reachability/flows/policy.js";
import type { ResolvedNames } from "../../reachability/policy-role.js";
import type { Resolver } from "../../reachability/policy-target.js";
import type { PanosClient } from "./client/client.js";
import { showExternalList, showFqdns } from "./client/commands.js";
import { childOf, descend, textOf } from "./client/reply.js";
import type { PanosRequest } from "./client/request.js";
import { externalList, fqdnOf } from "./policy/addresses.js";
import { lookUpKey } from "./policy/unknowns.js";
import { deviceEntry } from "./scope.js";

/** A device keeps at most 32 addresses of one family per FQDN. More bytes than `BYTES` (without names) may not fit into one DNS answer. */
const KEPT = 32;
const BYTES = 256;
/** Maximum number of list entries to request. */
const ENTRIES = 10_000;

interface Question {
  readonly what: string;
  readonly command: PanosRequest;
  /** Stores the answer, or returns the reason why it cannot be used. */
  readonly take: (result: TreeNode) => string | undefined;
}

/** Reads the current addresses of FQDNs and external lists in a configuration (docs/contributing/devices/panos.md#names-and-lists-that-it-resolves). */
export async function readResolvedNames(client: PanosClient, tree: TreeNode, view: View): ReturnType<Resolver["lookUp"]> {
  const known = new Map<string, ResolvedNames>();
  const missing = await boundedMap(questionsOf(tree, view, known), async ({ what, command, take }) => {
    try {
      const { result, root } = await client.run(command);
      const why = take(result ?? root);
      return why === undefined ? [] : [`What ${what} is not known: ${why}`];
    } catch (error) {
      if (error instanceof PlumblineError) return [`What ${what} is not known: ${error.message}`];
      throw error;
    }
  });
  return { known, refused: missing.flat() };
}

/** Returns the requests for a configuration. Each answer is stored in `known`. */
function questionsOf(tree: TreeNode, view: View, known: Map<string, ResolvedNames>): readonly Question[] {
  const systems = find(tree, deviceEntry.child("vsys"))?.children.flatMap(({ name }) => name ?? []) ?? [];
  const { hasFqdns, lists } = namesIn(tree);
  const takeFqdns = (result: TreeNode): string | undefined => {
    const table = readFqdns(textOf(result), systems);
    for (const [name, each] of table ?? []) known.set(lookUpKey(fqdnOf(name)), each);
    return table === undefined ? "its answer is not understood" : undefined;
  };
  const fqdns = systems.length > 0 && hasFqdns ? [{ what: "FQDNs hold", command: showFqdns, take: takeFqdns }] : [];
  // With several virtual systems, the reply does not show whose list it is. A list in the candidate may not have been fetched yet.
  const [system, ...others] = systems;
  if (system === undefined || others.length > 0 || view === "candidate") return fqdns;
  const ofLists = lists.map((list): Question => {
    const { name = "" } = list;
    const take = (result: TreeNode): string | undefined => {
      const read = readExternalList(result, name, system);
      if (typeof read === "string") return read;
      known.set(lookUpKey(externalList(list)), { values: read, isWhole: true });
      return undefined;
    };
    return { what: `${name} holds`, command: showExternalList(name, ENTRIES), take };
  });
  return [...fqdns, ...ofLists];
}

/**
 * Finds out whether there are FQDNs, and returns the address lists that rules use. Lists with duplicate names or with exceptions are
 * omitted.
 */
function namesIn(tree: TreeNode): { readonly hasFqdns: boolean; readonly lists: readonly TreeNode[] } {
  const found = new Map<string, TreeNode[]>();
  const named = new Set<string>();
  let hasFqdns = false;
  const open = [tree];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    hasFqdns ||= at.tag === "fqdn";
    if (at.tag === "source" || at.tag === "destination") for (const { text } of at.children) named.add(text);
    else if (at.tag !== "external-list") open.push(...at.children);
    else for (const each of at.children) found.set(each.name ?? "", [...(found.get(each.name ?? "") ?? []), each]);
  }
  const isOwn = (list: TreeNode) =>
    named.has(list.name ?? "") && descend(list, "type", "ip") !== undefined && !descend(list, "type", "ip", "exception-list");
  return { hasFqdns, lists: [...found.values()].flatMap((all) => (all.length === 1 ? all.filter(isOwn) : [])) };
}

/**
 * Parses the FQDN table by name. Undefined if the format is unknown. A name that occurs twice, or not for all of `systems`, is omitted.
 *
 * @internal Exported for tests of its forms.
 */
export function readFqdns(text: string, systems: readonly string[]): ReadonlyMap<string, ResolvedNames> | undefined {
  const [head = "", ...lines] = text.split("\n").map((line) => line.trimEnd());
  if (!/^FQDN Table : Request time \S/.test(head)) return undefined;
  const blocks: { readonly name: string; readonly scopes: readonly string[]; readonly rows: string[] }[] = [];
  let scopes: string[] | undefined;
  let rows: string[] | undefined;
  for (const line of lines) {
    if (line === "" || /^-+$/.test(line) || (scopes === undefined && line.trim() === "IP Address")) continue;
    const open = rows ?? scopes;
    if (/^VSYS\s*:/.test(line)) [scopes, rows] = [[], undefined];
    else if (/^\s/.test(line) && open !== undefined) open.push(line.trim());
    else if (scopes !== undefined && /^[\w.-]+$/.test(line)) {
      rows = [];
      blocks.push({ name: fqdnOf(line).definition, scopes, rows });
    } else return undefined;
  }
  const names = blocks.map(({ name }) => name);
  return new Map(
    blocks.flatMap((block) => {
      const isOne = names.indexOf(block.name) === names.lastIndexOf(block.name);
      const known = isOne && systems.every((system) => block.scopes.includes(system)) ? resolved(block.rows) : undefined;
      return known === undefined ? [] : [[block.name, known] as const];
    }),
  );
}

/** Undefined if a row is not an address, or if there are no addresses. */
function resolved(rows: readonly string[]): ResolvedNames | undefined {
  const addresses = rows.filter((row) => !/^::\s+unknown$/.test(row));
  const values = addresses.flatMap((each) => (isIP(each) === 0 || /^[0:.]+$/.test(each) ? [] : (addressRange(each) ?? [])));
  if (values.length === 0 || values.length < addresses.length) return undefined;
  const four = addresses.filter((each) => isIP(each) === 4).length;
  const six = addresses.length - four;
  // Sizes in a DNS reply: 16 bytes per IPv4 and 28 bytes per IPv6 record.
  if (four >= KEPT || six >= KEPT || 16 * four + 28 * six > BYTES) return { values, isWhole: false };
  return { values, isWhole: addresses.length < rows.length ? undefined : true };
}

/**
 * Returns the entries of an external list, or the reason why they are unknown. Entries that the device found invalid have no effect there,
 * so they are ignored.
 *
 * @internal Exported for tests of its forms.
 */
export function readExternalList(result: TreeNode, name: string, system: string): readonly AddressRange[] | string {
  const list = childOf(result, "external-list");
  const text = (tag: string) => textOf(list && childOf(list, tag));
  if (text("name") !== name || ![system, "shared"].includes(text("vsys"))) return "its answer is not understood";
  const members = list?.children.flatMap(({ tag, children }) => (tag === "valid-members" ? children : [])) ?? [];
  const [valid, ignored] = [text("total-valid"), text("total-ignored")];
  if (members.length === 0 || String(members.length) !== valid || ignored !== "0")
    return `it shows ${members.length} of ${valid || "?"} entries, and omits ${ignored || "?"}`;
  const values = members.flatMap((member) => addressRange(textOf(member)) ?? []);
  return values.length === members.length ? values : "not all that it shows are addresses";
}
