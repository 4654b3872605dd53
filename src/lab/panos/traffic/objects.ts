import type { TreeNode } from "../../../core/tree/node.js";
import { child } from "../state/system-facts.js";
import { covers, meetsWildcard } from "./addresses.js";
import type { World } from "./world.js";

/** Objects of a vsys, of `shared` and of a pushed policy, by name, in this precedence. */
export class Objects {
  readonly #scopes: readonly (TreeNode | undefined)[];
  readonly #world: World;
  readonly #lists = new Map<string, ReadonlyMap<string, TreeNode>>();

  constructor(vsys: TreeNode, config: TreeNode, world: World, pushed?: TreeNode) {
    this.#scopes = [vsys, child(config, "shared"), pushed];
    this.#world = world;
  }

  /** Returns an entry of a list. The list can be nested: `profiles/custom-url-category`. */
  find(list: string, name: string): TreeNode | undefined {
    return this.#list(list).get(name);
  }

  /** Whether a member contains an address. The member can be `any`, a region, an object, a group, an external list or a literal. */
  hasAddress(member: string, address: string, seen: ReadonlySet<string> = new Set()): boolean {
    if (member === "any") return true;
    const region = this.find("region", member);
    if (region !== undefined) return texts(child(region, "address")).some((text) => covers(text, address));
    const object = this.find("address", member);
    if (object !== undefined) return this.#isIn(object, address);
    const group = seen.has(member) ? undefined : this.find("address-group", member);
    if (group !== undefined) return this.#isInGroup(group, address, new Set(seen).add(member));
    const url = child(child(this.find("external-list", member), "type")?.children[0], "url")?.text;
    return url === undefined ? covers(member, address) : this.#isBehind(url, address);
  }

  /**
   * Returns the longest wildcard prefix of a member that matches an address: the number of bits before the first ignored bit. Returns -1
   * if there is no match.
   */
  longestPrefix(member: string, address: string, seen: ReadonlySet<string> = new Set()): number {
    const wildcard = child(this.find("address", member), "ip-wildcard")?.text;
    if (wildcard !== undefined) return meetsWildcard(wildcard, address)?.prefix ?? -1;
    const group = seen.has(member) ? undefined : this.find("address-group", member);
    const within = new Set(seen).add(member);
    return Math.max(-1, ...texts(child(group, "static")).map((each) => this.longestPrefix(each, address, within)));
  }

  #isIn(object: TreeNode, address: string): boolean {
    const fqdn = child(object, "fqdn")?.text;
    if (fqdn !== undefined) return this.#isBehind(fqdn, address);
    const wildcard = child(object, "ip-wildcard")?.text;
    if (wildcard !== undefined) return meetsWildcard(wildcard, address)?.matches === true;
    const value = child(object, "ip-netmask") ?? child(object, "ip-range");
    return value !== undefined && covers(value.text, address);
  }

  #isInGroup(group: TreeNode, address: string, seen: ReadonlySet<string>): boolean {
    const filter = child(child(group, "dynamic"), "filter")?.text;
    if (filter === undefined) return texts(child(group, "static")).some((each) => this.hasAddress(each, address, seen));
    if (fulfils(filter, this.#world.tags.get(address) ?? new Set())) return true;
    return [...this.#list("address").values()].some(
      (object) => fulfils(filter, new Set(texts(child(object, "tag")))) && this.#isIn(object, address),
    );
  }

  #isBehind(name: string, address: string): boolean {
    return this.#world.resolves[name]?.some((text) => covers(text, address)) === true;
  }

  /** Whether a member contains an application: the member is `any`, the application itself or a group. */
  hasApplication(member: string, application: string, seen: ReadonlySet<string> = new Set()): boolean {
    if (member === "any" || member === application) return true;
    const group = seen.has(member) ? undefined : this.find("application-group", member);
    const within = new Set(seen).add(member);
    return texts(child(group, "members")).some((each) => this.hasApplication(each, application, within));
  }

  /** Whether a member of `service` allows the ports. The member can be `any`, a service object, a group or a predefined service. */
  hasService(member: string, ports: Ports, seen: ReadonlySet<string> = new Set()): boolean {
    if (member === "any") return true;
    const object = this.find("service", member);
    if (object !== undefined) {
      const protocol = child(child(object, "protocol"), ports.protocol);
      const from = child(protocol, "source-port")?.text ?? "";
      return hasPort(child(protocol, "port")?.text ?? "", ports.port) && (from === "" || hasPort(from, ports.sourcePort));
    }
    const group = seen.has(member) ? undefined : this.find("service-group", member);
    if (group === undefined) return ports.protocol === "tcp" && PREDEFINED.get(member)?.includes(ports.port) === true;
    const within = new Set(seen).add(member);
    return texts(child(group, "members")).some((each) => this.hasService(each, ports, within));
  }

  #list(list: string): ReadonlyMap<string, TreeNode> {
    const known = this.#lists.get(list);
    if (known !== undefined) return known;
    const found = new Map<string, TreeNode>();
    for (const scope of this.#scopes) {
      const at = list.split("/").reduce<TreeNode | undefined>((node, tag) => child(node, tag), scope);
      for (const entry of at?.children ?? []) if (entry.name !== undefined && !found.has(entry.name)) found.set(entry.name, entry);
    }
    this.#lists.set(list, found);
    return found;
  }
}

/** Protocol and ports of a session. */
export interface Ports {
  /** `tcp`, `udp`, `sctp` or a protocol number. */
  readonly protocol: string;
  readonly port: number;
  readonly sourcePort: number;
}

const PREDEFINED: ReadonlyMap<string, readonly number[]> = new Map([
  ["service-http", [80, 8080]],
  ["service-https", [443]],
]);

/** Returns the texts of a member list. */
export function texts(list: TreeNode | undefined): readonly string[] {
  return list?.children.map((member) => member.text) ?? [];
}

/** Whether a list of ports (`80`, `80,443`, `1024-65535`) contains the port. */
export function hasPort(list: string, port: number): boolean {
  return list.split(",").some((part) => {
    const [first, last = first] = part.trim().split("-").map(Number);
    return first !== undefined && last !== undefined && port >= first && port <= last;
  });
}

/**
 * Whether tags match the filter of a dynamic group. First replaces each tag by 1 or 0, then evaluates parentheses from the inside, with
 * `and` before `or`.
 */
function fulfils(filter: string, tags: ReadonlySet<string>): boolean {
  let text = filter
    .replace(/'([^']*)'|"([^"]*)"|\b(?!(?:and|or)\b)[^\s()'"]+/gi, (word, one, other) => (tags.has(one ?? other ?? word) ? "1" : "0"))
    .toLowerCase();
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\(\s*([01](?:\s+(?:and|or)\s+[01])*)\s*\)/g, (_, inner: string) => (plain(inner) ? "1" : "0"));
  }
  return /^\s*[01](?:\s+(?:and|or)\s+[01])*\s*$/.test(text) && plain(text);
}

function plain(text: string): boolean {
  return text.split(/\s+or\s+/).some((side) => side.split(/\s+and\s+/).every((word) => word.trim() === "1"));
}
