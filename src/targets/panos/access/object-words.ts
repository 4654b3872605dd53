import type { DesignConventions } from "../../../access/designer.js";
import type { Edit } from "../../../access/edit.js";
import { addressRange } from "../../../core/address-range.js";
import { literalService, portsText, protocolWithPorts } from "../../../core/service-range.js";
import { childByTag, find } from "../../../core/tree/lookup.js";
import { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { fqdnOf, isHostName } from "../policy/addresses.js";
import { membersOf, type NameScopes } from "../policy/name-scopes.js";
import { Reading } from "../policy/reading.js";
import { Services } from "../policy/services.js";
import { textOf } from "../security-rule.js";

/** A member for a list of a rule, and the edits that create the object if none exists. */
export interface Word {
  readonly text: string;
  readonly edits: readonly Edit[];
  /** Whether groups may contain it: a literal or an external list is no member of a group. */
  readonly isObject: boolean;
}

const LONGEST_NAME = 63;
/** Characters that the number of a name needs. */
const NUMBER = 3;
const VALID_NAME = /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$/;
/** Lists that share the names of new objects. */
const NAMED = ["region", "address", "address-group", "external-list", "service", "service-group"];

/** Finds or creates objects for the addresses and services of a request. */
export class ObjectWords {
  /** Reasons why objects cannot be created, as sentences. */
  readonly obstacles = new Set<string>();
  readonly #scopes: NameScopes;
  readonly #home: Path;
  readonly #tree: TreeNode;
  readonly #rules: readonly TreeNode[];
  readonly #conventions: DesignConventions;
  /** New names, with the values of their objects. */
  readonly #given = new Map<string, string>();

  /** New objects are created at `home`, the path of the virtual system or device group. `rules`: its security rules. */
  constructor(scopes: NameScopes, home: Path, tree: TreeNode, rules: readonly TreeNode[], conventions: DesignConventions = {}) {
    this.#scopes = scopes;
    this.#home = home;
    this.#tree = tree;
    this.#rules = rules;
    this.#conventions = conventions;
  }

  /** Returns words for an address: an object of this name or value, the literal, or a new object. */
  addresses(text: string): readonly Word[] {
    const found = this.#scopes.find(text, ["region", "address", "address-group", "external-list"]);
    if (found !== undefined) return [{ text, edits: [], isObject: found.list === "address" || found.list === "address-group" }];
    const range = addressRange(text);
    if (range === undefined) return isHostName(text) ? this.#hostName(text) : [];
    for (const { node } of this.#scopes.all("address")) {
      const own = addressRange(textOf(node, "ip-netmask") ?? textOf(node, "ip-range") ?? "");
      const isSame = own !== undefined && own.first === range.first && own.last === range.last;
      if (isSame && this.#scopes.find(node.name ?? "", ["region"]) === undefined)
        return [{ text: node.name ?? "", edits: [], isObject: true }];
    }
    const literal = { text, edits: [], isObject: false };
    if (this.#usesLiterals()) return [literal, ...this.#newAddress(text)];
    const made = this.#newAddress(text);
    return made.length === 0 ? [] : [...made, literal];
  }

  /** Returns words for a service. Empty if it cannot be an object: it has no ports. */
  services(text: string): readonly Word[] {
    const ranges = literalService(text);
    if (ranges === undefined) return [{ text, edits: [], isObject: true }];
    const [{ protocol } = { protocol: -1 }] = ranges;
    const word = protocolWithPorts(protocol);
    if (word === undefined) return [];
    const services = new Services(this.#scopes, new Reading());
    const wanted = portsText(ranges);
    for (const { node } of this.#scopes.all("service")) {
      const { values, unknowns } = services.named(node.name ?? "");
      const isPlain = unknowns.length === 0 && values.every((each) => each.sourcePorts === undefined && each.protocol === protocol);
      if (isPlain && portsText(values) === wanted) return [{ text: node.name ?? "", edits: [], isObject: true }];
    }
    return this.#newService(word, wanted);
  }

  /** Returns whether no object can describe a service: its protocol has no ports. */
  isWithoutPorts(text: string): boolean {
    const [range] = literalService(text) ?? [];
    return range !== undefined && protocolWithPorts(range.protocol) === undefined;
  }

  #hostName(text: string): readonly Word[] {
    const { definition } = fqdnOf(text);
    const fqdns = [...this.#scopes.all("address")].flatMap(({ node }) => {
      const fqdn = textOf(node, "fqdn");
      return fqdn === undefined ? [] : [{ name: node.name ?? "", fqdn: fqdnOf(fqdn).definition }];
    });
    const same = fqdns.find(({ name, fqdn }) => fqdn === definition && this.#scopes.find(name, ["region"]) === undefined);
    if (same !== undefined) return [{ text: same.name, edits: [], isObject: true }];
    const prefixes = fqdns.flatMap(({ name, fqdn }) => (name.endsWith(fqdn) ? [name.slice(0, name.length - fqdn.length)] : []));
    const name = this.#nameFor("addressName", { address: definition }, `${mostFrequent(prefixes) ?? ""}${definition}`);
    return this.#made("address", name, new TreeNode("fqdn", undefined, definition));
  }

  #newAddress(text: string): readonly Word[] {
    const plain = text.replaceAll("/", "_").replaceAll(":", "-");
    const { first, last } = addressRange(text) ?? { first: 0n, last: 0n };
    const start = namePattern(this.#all("address"), /^([^\d]*)\d+[.-]\d+[.-]\d+[.-]\d+$/) ?? (first === last ? "h-" : "net-");
    const name = this.#nameFor("addressName", { address: plain }, `${start}${plain}`);
    return this.#made("address", name, new TreeNode(text.includes("-") ? "ip-range" : "ip-netmask", undefined, text));
  }

  #newService(protocol: string, ports: string): readonly Word[] {
    const pattern = namePattern(this.#all("service"), new RegExp(`^(.*?${protocol}[-_.]?)\\d+$`, "i"));
    const plain = ports.replaceAll(",", "_");
    const name = this.#nameFor("serviceName", { protocol, port: plain }, `${pattern ?? `${protocol}-`}${plain}`);
    const of = new TreeNode(protocol, undefined, "", [new TreeNode("port", undefined, ports)]);
    return this.#made("service", name, new TreeNode("protocol", undefined, "", [of]));
  }

  /** Returns the word of a new object. Empty if it cannot have a name. */
  #made(list: string, name: string | undefined, content: TreeNode): readonly Word[] {
    if (name === undefined) return [];
    const edit: Edit = { kind: "entry", list: this.#home.child(list), entry: new TreeNode("entry", name, "", [content]) };
    return [{ text: name, edits: [edit], isObject: true }];
  }

  /**
   * Returns a name that no object of any scope has: by the convention of the repository, otherwise `usual`. A free number follows a name that
   * is taken. Undefined if the convention results in an invalid name, which is an obstacle.
   */
  #nameFor(key: "addressName" | "serviceName", values: Readonly<Record<string, string>>, usual: string): string | undefined {
    const pattern = this.#conventions[key];
    const fill = (n: number) =>
      pattern?.replaceAll(/\{(\w+)\}/g, (_, word: string) => (word === "n" ? String(n) : (values[word] ?? ""))).trim();
    const base = fill(1) ?? usual.slice(0, LONGEST_NAME - NUMBER);
    const isNumbered = pattern !== undefined && fill(1) !== fill(2);
    for (let n = 1; ; n++) {
      const name = isNumbered ? (fill(n) ?? base) : n === 1 ? base : `${base}-${n}`;
      if (!VALID_NAME.test(name)) {
        this.obstacles.add(
          `A new object cannot have the name "${name}" (design.${key}): it has more than ${LONGEST_NAME} characters, or does not start with a letter or digit.`,
        );
        return undefined;
      }
      const value = this.#given.get(name) ?? usual;
      if (value !== usual || this.#scopes.find(name, NAMED) !== undefined) continue;
      this.#given.set(name, usual);
      return name;
    }
  }

  #all(list: string): readonly string[] {
    return (childByTag(find(this.#tree, this.#home) ?? this.#tree, list)?.children ?? []).flatMap(({ name }) => name ?? []);
  }

  /** Returns whether most rules of the place that name an address name a literal. */
  #usesLiterals(): boolean {
    const named = this.#rules
      .flatMap((rule) => ["source", "destination"].flatMap((tag) => membersOf(rule, tag) ?? []))
      .filter((name) => name !== "any");
    const literals = named.filter((name) => addressRange(name) !== undefined);
    return literals.length * 2 > named.length;
  }
}

/** Returns the most frequent first part of names that match the pattern. Undefined if no name matches. */
function namePattern(names: readonly string[], pattern: RegExp): string | undefined {
  return mostFrequent(names.flatMap((name) => pattern.exec(name)?.[1] ?? []));
}

function mostFrequent(texts: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** Returns whether a group contains a name, directly or through other groups. */
export function groupContains(scopes: NameScopes, group: string, name: string, seen: ReadonlySet<string> = new Set()): boolean {
  if (group === name) return true;
  if (seen.has(group)) return false;
  const node = scopes.find(group, ["address-group", "service-group", "application-group"])?.node;
  const members = node === undefined ? [] : (membersOf(node, "static") ?? membersOf(node, "members") ?? []);
  return members.some((member) => groupContains(scopes, member, name, new Set([...seen, group])));
}
