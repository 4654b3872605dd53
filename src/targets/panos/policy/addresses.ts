import { addressRange } from "../../../core/address-range.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import { type AddressRange, FQDN, type Match, type Named, type Unknown } from "../../../reachability/flows/policy.js";
import { leadingPrefix, readWildcard, type Wildcard, wildcardRanges } from "./address-text.js";
import { type Found, matchedBy, membersOf, NameScopes } from "./name-scopes.js";
import type { Reading } from "./reading.js";
import { readTagFilter } from "./tag-filter.js";
import { contentOf, cycle, lookUpKey, opaque, unresolved } from "./unknowns.js";

type Address = Named<AddressRange>;
type Content = Partial<Pick<Address, "values" | "members" | "unknowns" | "asOf">>;

/** Lists that can contain addresses, in order of precedence. */
const LISTS = ["region", "address", "address-group", "external-list"];

/** Addresses in the rules of one rulebase. Each name or literal is resolved once and returned as the same value. */
export class Addresses {
  /** Wildcards of an object, including its members. */
  readonly wildcards = new Map<Address, readonly Wildcard[]>();
  readonly #scopes: NameScopes;
  readonly #reading: Reading;
  readonly #known = new Map<string, Address>();
  readonly #open: string[] = [];

  constructor(scopes: NameScopes, reading: Reading) {
    this.#scopes = scopes;
    this.#reading = reading;
  }

  /** Returns the source or destination that a rule matches. */
  match(rule: TreeNode, side: "source" | "destination"): Match<AddressRange> {
    const names = matchedBy(rule, side);
    const negated = childByTag(rule, `negate-${side}`)?.text === "yes";
    if (names === "any") return negated ? { negated: false, objects: [] } : "any";
    return { negated, objects: names.map((name) => this.named(name)) };
  }

  named(name: string, scopes: NameScopes = this.#scopes): Address {
    const key = `${scopes.scopes.length} ${name}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const ring = this.#open.indexOf(key);
    if (ring !== -1) return made(`ring ${name}`, name, { unknowns: [cycle(this.#open.slice(ring).map(nameIn))] });
    this.#open.push(key);
    const address = this.#read(name, scopes);
    this.#open.pop();
    this.#known.set(key, address);
    return address;
  }

  #read(name: string, scopes: NameScopes): Address {
    const found = scopes.find(name, LISTS);
    const isCode = isRegionCode(name);
    if (found === undefined || (isCode && found.list !== "region")) {
      const range = isCode ? undefined : addressRange(name);
      if (range !== undefined) return made(name, name, { values: [range] });
      return made(name, name, { unknowns: [isCode ? predefinedRegion(name) : unresolved(name, "address")] });
    }
    const { scope, list, path } = found;
    const address = { ...made(`${scope.word}/${list}/${name}`, name, this.#content(found, scopes)), origin: this.#reading.where(path) };
    const wildcards = [...ownWildcards(found), ...address.members.flatMap((member) => this.wildcards.get(member) ?? [])];
    if (wildcards.length > 0) this.wildcards.set(address, wildcards);
    return address;
  }

  #content(found: Found, scopes: NameScopes): Content {
    if (found.list === "address") return this.#resolved(addressContent(found));
    if (found.list === "address-group") return this.#group(found, scopes);
    if (found.list === "external-list") return this.#resolved({ unknowns: [externalList(found.node)] });
    return this.#union(membersOf(found.node, "address") ?? []);
  }

  /** Adds the current values from the device, if they were read. Values that the device may not show stay unknown. */
  #resolved(content: Content): Content {
    const { lookUps, resolvedNames: lookedUp, assumed, doubts } = this.#reading;
    const [unknown] = content.unknowns ?? [];
    const known = unknown && lookUps?.known.get(lookUpKey(unknown));
    if (lookUps === undefined || unknown === undefined || known === undefined) return content;
    lookedUp.add(unknown.name);
    if (known.isWhole === undefined)
      doubts.add(`The device shows IPv6 of "${unknown.name}" as unknown: it is assumed to be ${assumed.missingIpv6} [?].`);
    const isComplete = known.isWhole ?? assumed.missingIpv6 === "none";
    const unknowns = isComplete ? [] : [{ ...unknown, reason: "it may hold more than the device shows" }];
    return { values: known.values, unknowns, asOf: lookUps.asOf };
  }

  #group(found: Found, scopes: NameScopes): Content {
    const dynamic = childByTag(found.node, "dynamic");
    if (dynamic !== undefined) return this.#dynamic(found, childByTag(dynamic, "filter")?.text ?? "");
    const own = new NameScopes(scopes.scopes.slice(scopes.scopes.indexOf(found.scope)));
    const inner = this.#reading.assumed.groupMembers === "from the group" ? own : scopes;
    const members = membersOf(found.node, "static") ?? [];
    for (const member of members) this.#noteDoubt(found, member, scopes, own);
    return { members: members.map((member) => this.named(member, inner)) };
  }

  /** Records a doubt if the two lookup methods find different objects. */
  #noteDoubt({ node, scope }: Found, member: string, scopes: NameScopes, own: NameScopes): void {
    if (own.scopes.length === scopes.scopes.length) return;
    const [near, far] = [scopes.find(member, LISTS), own.find(member, LISTS)];
    if (near?.node === far?.node) return;
    this.#reading.doubts.add(
      `Group "${node.name}" of ${scope.word} holds "${member}", which is another object in ${near?.scope.word ?? "no place"} than in ${far?.scope.word ?? scope.word}. The lookup starts ${this.#reading.assumed.groupMembers} [?].`,
    );
  }

  /**
   * Returns the objects and groups whose tags match the filter. Addresses that are registered with these tags are unknown. If the filter
   * cannot be parsed, the content depends on every tagged object.
   */
  #dynamic(found: Found, filter: string): Content {
    const registered: Unknown = {
      kind: "registered addresses",
      definition: contentOf(found),
      name: found.node.name ?? "",
      reason: "addresses that are registered with tags were not read",
    };
    const matches = readTagFilter(filter);
    const all = ["address", "address-group"].flatMap((list) => [...this.#scopes.all(list)]).filter(({ node }) => node !== found.node);
    if (matches === undefined) {
      const objects = all.map((each) => JSON.stringify([each.node.name, membersOf(each.node, "tag") ?? [], contentOf(each)])).sort();
      return { unknowns: [{ ...registered, definition: [registered.definition, ...objects].join("\n") }] };
    }
    const tagged = all.filter(({ node }) => matches(new Set(membersOf(node, "tag") ?? [])));
    return { members: tagged.map(({ node }) => this.named(node.name ?? "")), unknowns: [registered] };
  }

  #union(texts: readonly string[]): Content {
    const ranges = texts.map((text) => ({ text, range: addressRange(text) }));
    return {
      values: ranges.flatMap(({ range }) => range ?? []),
      unknowns: ranges.filter(({ range }) => range === undefined).map(({ text }) => unresolved(text, "address")),
    };
  }
}

function made(id: string, name: string, { values = [], members = [], unknowns = [], asOf }: Content): Address {
  return { id, name, values, members, unknowns, ...(asOf === undefined ? {} : { asOf }) };
}

function addressContent(found: Found): Content {
  const text = (tag: string) => childByTag(found.node, tag)?.text.trim();
  const [literal, fqdn, mask] = [text("ip-netmask") ?? text("ip-range"), text("fqdn"), text("ip-wildcard")];
  if (literal !== undefined) {
    const range = addressRange(literal);
    return range === undefined ? { unknowns: [opaque("address", found, `"${literal}" is not an address`)] } : { values: [range] };
  }
  if (fqdn !== undefined) return { unknowns: [fqdnOf(fqdn)] };
  const wildcard = readWildcard(mask ?? "");
  if (wildcard === undefined) return { unknowns: [opaque("address", found, "the object has no supported address")] };
  const values = wildcardRanges(wildcard);
  return values === undefined ? tooMany(wildcard, mask ?? "") : { values };
}

/** A wildcard with too many ranges is an unknown part of its leading prefix. */
function tooMany(wildcard: Wildcard, text: string): Content {
  const { length } = leadingPrefix(wildcard);
  return {
    unknowns: [
      { kind: "wildcard", definition: text, name: text, reason: `it has more than 4,096 intervals below its first ${length} bits` },
    ],
  };
}

function ownWildcards({ list, node }: Found): readonly Wildcard[] {
  const text = list === "address" ? childByTag(node, "ip-wildcard")?.text : undefined;
  const wildcard = text === undefined ? undefined : readWildcard(text.trim());
  return wildcard === undefined ? [] : [wildcard];
}

/** A name that the device resolves by DNS. */
export function fqdnOf(name: string): Unknown {
  const reason = "the addresses of an FQDN were not read";
  return { kind: FQDN, definition: name.toLowerCase().replace(/\.$/, ""), name, reason };
}

/** Returns whether a text is a DNS name with a domain. The last label of an address starts with a digit. */
export function isHostName(text: string): boolean {
  const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?";
  return text.length <= 255 && new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?\\.?$`, "i").test(text);
}

/** A list of addresses that the device downloads. */
export function externalList(list: TreeNode): Unknown {
  const source = childByTag(list, "type")?.children[0];
  const parts = [source?.tag, source && childByTag(source, "url")?.text, ...((source && membersOf(source, "exception-list")) ?? [])];
  return {
    kind: "external list",
    definition: parts.join(" "),
    name: list.name ?? "",
    reason: "the content of an external list was not read",
  };
}

/**
 * Created for the first name that looks like a country code, because its creation takes as long as everything else in this file for a
 * complete rulebase.
 */
let regions: Intl.DisplayNames | undefined;

/** Whether the name is a country code, whose addresses the device knows. */
function isRegionCode(name: string): boolean {
  if (!/^[A-Z]{2}$/.test(name)) return false;
  regions ??= new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  return regions.of(name) !== undefined;
}

function predefinedRegion(code: string): Unknown {
  return { kind: "region", definition: code, name: code, reason: "the addresses of a predefined region were not read" };
}

const nameIn = (key: string): string => key.slice(key.indexOf(" ") + 1);
