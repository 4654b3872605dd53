import { readPorts } from "../../../core/service-range.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { ApplicationName, Named, ServiceRange, Unknown } from "../../../reachability/flows/policy.js";
import type { DefaultService } from "../../../reachability/policy-role.js";
import { membersOf, type NameScopes } from "./name-scopes.js";
import type { Reading } from "./reading.js";
import { cycle, opaque, unresolved } from "./unknowns.js";

export type Application = Named<ApplicationName>;

const PROTOCOLS: ReadonlyMap<string, number> = new Map([
  ["tcp", 6],
  ["udp", 17],
  ["sctp", 132],
]);

/** ICMP and ICMPv6. */
const ICMP: readonly ServiceRange[] = [1, 58].map((protocol) => ({ protocol, first: 0, last: 65_535 }));
/** Predefined applications that a device identifies by ICMP type, so they have no ports. */
const WITHOUT_PORTS: ReadonlySet<string> = new Set(["icmp", "ipv6-icmp", "ping", "ping6"]);

/** Applications in the rules of one rulebase. Each is resolved once. An undefined name is a predefined application. */
export class Applications {
  /** Applications with known defaults, and custom ones. Undefined if the defaults of a custom application cannot be parsed. */
  readonly custom = new Map<ApplicationName, readonly DefaultService[] | undefined>();
  readonly #scopes: NameScopes;
  readonly #reading: Reading;
  readonly #inUse: ReadonlySet<string>;
  readonly #known = new Map<string, Application>();
  readonly #open: string[] = [];

  /** @param inUse Every application that a rule of any version, or a question, refers to. */
  constructor(scopes: NameScopes, reading: Reading, inUse: ReadonlySet<string>) {
    this.#scopes = scopes;
    this.#reading = reading;
    this.#inUse = inUse;
    for (const { node } of scopes.all("application")) this.custom.set(node.name ?? "", defaultPorts(node));
    for (const [name, application] of reading.predefined ?? [])
      if (application !== "missing" && application.ports !== undefined && !this.custom.has(name)) this.custom.set(name, application.ports);
  }

  named(name: string): Application {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const ring = this.#open.indexOf(name);
    if (ring !== -1) return made(`ring ${name}`, name, { unknowns: [cycle(this.#open.slice(ring))] });
    this.#open.push(name);
    const application = this.#read(name);
    this.#open.pop();
    this.#known.set(name, application);
    return application;
  }

  /** Returns the services that an application always uses. Undefined: any service. */
  onlyServices({ values: [name = ""], members, unknowns }: Application): readonly ServiceRange[] | undefined {
    const isPlain = members.length + unknowns.length === 0;
    return isPlain && WITHOUT_PORTS.has(name) && this.#scopes.find(name, ["application"]) === undefined ? ICMP : undefined;
  }

  #read(name: string): Application {
    const found = this.#scopes.find(name, ["application", "application-group", "application-filter"]);
    if (found === undefined) return this.#predefined(name);
    const { scope, list, path, node } = found;
    const id = `${scope.word}/${list}/${name}`;
    const origin = this.#reading.where(path);
    if (list === "application") return { ...made(id, name, { values: [name] }), origin };
    if (list === "application-group")
      return { ...made(id, name, { members: (membersOf(node, "members") ?? []).map((member) => this.named(member)) }), origin };
    const reason = "which applications a filter selects is in the device's content, which was not read";
    return { ...made(id, name, { unknowns: [opaque("application filter", found, reason)] }), origin };
  }

  /** Reads an application of the device. The device may define the parts of a container. */
  #predefined(name: string): Application {
    const known = this.#reading.predefined?.get(name);
    if (known === undefined) return made(name, name, { values: [name], unknowns: [...this.#parts(name), ...this.#unread(name)] });
    if (known === "missing") return made(name, name, { unknowns: [unresolved(name, "application")] });
    return made(name, name, { values: [name], members: known.parts.map((part) => made(part, part, { values: [part] })) });
  }

  /** An application that was requested from the device, without an answer: it may not exist, or contain others. */
  #unread(name: string): readonly Unknown[] {
    const { predefined, applicationNames } = this.#reading;
    if (predefined === undefined || !applicationNames.has(name)) return [];
    return [{ kind: "unread application", definition: name, name, reason: "the device did not report this application" }];
  }

  /** `facebook` may contain `facebook-base`: the contents of predefined applications were not read. */
  #parts(name: string): readonly Unknown[] {
    const parts = [...this.#inUse].filter((other) => other.startsWith(`${name}-`) && !this.custom.has(other));
    if (parts.length === 0) return [];
    const reason = `whether it holds ${parts.sort().join(", ")} is in the device's content, which was not read`;
    return [{ kind: "application container", definition: name, name, reason }];
  }
}

function made(id: string, name: string, { values = [], members = [], unknowns = [] }: Partial<Application>): Application {
  return { id, name, values, members, unknowns };
}

/** Parses the defaults of an application: ports such as `tcp/80,443` or `udp/dynamic`, an IP protocol, or an ICMP type. Undefined for others. */
export function defaultPorts(node: TreeNode): readonly DefaultService[] | undefined {
  const defaults = childByTag(node, "default");
  if (defaults === undefined) return undefined;
  const protocol = byteIn(childByTag(defaults, "ident-by-ip-protocol")?.text);
  if (protocol !== undefined) return [{ protocol, first: 0, last: 65_535 }];
  for (const [tag, icmp] of ICMP_TYPES) {
    const ident = childByTag(defaults, tag);
    if (ident !== undefined) return icmpDefault(ident, icmp);
  }
  const rows = membersOf(defaults, "port") ?? [];
  const ranges = rows.map(readDefault);
  return rows.length === 0 || ranges.includes(undefined) ? undefined : ranges.flatMap((range) => range ?? []);
}

const ICMP_TYPES = [
  ["ident-by-icmp-type", 1],
  ["ident-by-icmp6-type", 58],
] as const;

function icmpDefault(ident: TreeNode, protocol: number): readonly DefaultService[] | undefined {
  const type = byteIn(childByTag(ident, "type")?.text ?? ident.text);
  const written = childByTag(ident, "code")?.text.trim() ?? "";
  const code = byteIn(written);
  if (type === undefined || (written !== "" && code === undefined)) return undefined;
  return [{ protocol, first: 0, last: 65_535, icmpType: code === undefined ? `${type}` : `${type}/${code}` }];
}

function byteIn(text = ""): number | undefined {
  return /^\s*\d{1,3}\s*$/.test(text) && Number(text) <= 255 ? Number(text) : undefined;
}

function readDefault(row: string): readonly ServiceRange[] | undefined {
  const [word = "", ports = ""] = row.split("/");
  const protocol = PROTOCOLS.get(word.trim().toLowerCase());
  if (protocol === undefined) return undefined;
  if (ports.trim() === "dynamic") return [{ protocol, first: 0, last: 65_535 }];
  return readPorts(ports)?.map((range) => ({ protocol, ...range }));
}
