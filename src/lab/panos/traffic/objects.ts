import { BlockList, isIP } from "node:net";
import type { TreeNode } from "../../../core/tree/node.js";
import { child } from "../state/facts.js";

/** Objects of a vsys and of shared by name, the nearer one first. */
export class Objects {
  readonly #scopes: readonly (TreeNode | undefined)[];

  constructor(vsys: TreeNode, config: TreeNode) {
    this.#scopes = [vsys, child(config, "shared")];
  }

  find(list: string, name: string): TreeNode | undefined {
    for (const scope of this.#scopes) {
      const entry = child(scope, list)?.children.find((each) => each.name === name);
      if (entry !== undefined) return entry;
    }
    return undefined;
  }

  /** Whether an address is that of a member: `any`, a literal, an address object, a static group. */
  hasAddress(member: string, address: string, seen: ReadonlySet<string> = new Set()): boolean {
    if (member === "any") return true;
    const object = this.find("address", member);
    if (object !== undefined) {
      const value = child(object, "ip-netmask") ?? child(object, "ip-range");
      return value !== undefined && covers(value.text, address);
    }
    const group = seen.has(member) ? undefined : this.find("address-group", member);
    if (group === undefined) return covers(member, address);
    const within = new Set(seen).add(member);
    return texts(child(group, "static")).some((each) => this.hasAddress(each, address, within));
  }

  /** Whether a member names an application: itself, or a group that holds it. */
  hasApplication(member: string, application: string, seen: ReadonlySet<string> = new Set()): boolean {
    if (member === "any" || member === application) return true;
    const group = seen.has(member) ? undefined : this.find("application-group", member);
    const within = new Set(seen).add(member);
    return texts(child(group, "members")).some((each) => this.hasApplication(each, application, within));
  }

  /** Whether a member of `service` allows a port: `any`, a service object, a group, or a predefined one. */
  hasService(member: string, protocol: string, port: number, seen: ReadonlySet<string> = new Set()): boolean {
    if (member === "any") return true;
    const object = this.find("service", member);
    if (object !== undefined) return hasPort(child(child(child(object, "protocol"), protocol), "port")?.text ?? "", port);
    const predefined = PREDEFINED.get(member);
    if (predefined !== undefined) return protocol === "tcp" && predefined.includes(port);
    const group = seen.has(member) ? undefined : this.find("service-group", member);
    const within = new Set(seen).add(member);
    return texts(child(group, "members")).some((each) => this.hasService(each, protocol, port, within));
  }
}

const PREDEFINED: ReadonlyMap<string, readonly number[]> = new Map([
  ["service-http", [80, 8080]],
  ["service-https", [443]],
]);

/** Texts of a member list. */
export function texts(list: TreeNode | undefined): readonly string[] {
  return list?.children.map((member) => member.text) ?? [];
}

/** `80`, `80,443` or `1024-65535`. */
function hasPort(list: string, port: number): boolean {
  return list.split(",").some((part) => {
    const [first, last = first] = part.trim().split("-").map(Number);
    return first !== undefined && last !== undefined && port >= first && port <= last;
  });
}

/** An address, a network or a range; what is none of them covers nothing. */
function covers(text: string, address: string): boolean {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  const list = new BlockList();
  try {
    const [low, high] = text.split("-");
    const [base = "", prefix] = text.split("/");
    if (high !== undefined && low !== undefined) list.addRange(low, high, family);
    else if (prefix !== undefined) list.addSubnet(base, Number(prefix), family);
    else list.addAddress(base, family);
    return list.check(address, family);
  } catch {
    return false;
  }
}
