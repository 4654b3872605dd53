import { readPorts } from "../../../core/service-range.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { Named, ServiceRange } from "../../../reachability/flows/policy.js";
import { type Found, membersOf, type NameScopes } from "./name-scopes.js";
import type { Reading } from "./reading.js";
import { cycle, opaque, unresolved } from "./unknowns.js";

export type Service = Named<ServiceRange>;
const PROTOCOLS: ReadonlyMap<string, number> = new Map([
  ["tcp", 6],
  ["udp", 17],
  ["sctp", 132],
]);

/** Predefined services. A configured service with the same name wins. */
const PREDEFINED: ReadonlyMap<string, readonly number[]> = new Map([
  ["service-http", [80, 8080]],
  ["service-https", [443]],
]);

/** Services in the rules of one rulebase. Each is resolved once. */
export class Services {
  readonly #scopes: NameScopes;
  readonly #reading: Reading;
  readonly #known = new Map<string, Service>();
  readonly #open: string[] = [];

  constructor(scopes: NameScopes, reading: Reading) {
    this.#scopes = scopes;
    this.#reading = reading;
  }

  named(name: string): Service {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const ring = this.#open.indexOf(name);
    if (ring !== -1) return made(`ring ${name}`, name, { unknowns: [cycle(this.#open.slice(ring))] });
    this.#open.push(name);
    const service = this.#read(name);
    this.#open.pop();
    this.#known.set(name, service);
    return service;
  }

  #read(name: string): Service {
    const found = this.#scopes.find(name, ["service", "service-group"]);
    if (found === undefined) {
      const ports = PREDEFINED.get(name)?.map((port) => ({ protocol: 6, first: port, last: port }));
      return made(name, name, ports === undefined ? { unknowns: [unresolved(name, "service")] } : { values: ports });
    }
    const { scope, list, path, node } = found;
    const content =
      list === "service" ? serviceContent(found) : { members: (membersOf(node, "members") ?? []).map((member) => this.named(member)) };
    return { ...made(`${scope.word}/${list}/${name}`, name, content), origin: this.#reading.where(path) };
  }
}

type Content = Partial<Pick<Service, "values" | "members" | "unknowns">>;

function made(id: string, name: string, { values = [], members = [], unknowns = [] }: Content): Service {
  return { id, name, values, members, unknowns };
}

function serviceContent(found: Found): Content {
  const declared = childByTag(found.node, "protocol")?.children.find(({ tag }) => PROTOCOLS.has(tag));
  const protocol = PROTOCOLS.get(declared?.tag ?? "");
  const text = (tag: string) => (declared === undefined ? undefined : childByTag(declared, tag)?.text);
  const ports = readPorts(text("port") ?? "");
  const from = text("source-port");
  const sourcePorts = from === undefined || from.trim() === "" ? undefined : readPorts(from);
  const isRead = protocol !== undefined && ports !== undefined && (sourcePorts !== undefined || from === undefined || from.trim() === "");
  if (!isRead) return { unknowns: [opaque("service", found, "the object has no supported protocol and ports")] };
  return { values: ports.map((range) => ({ protocol, ...range, ...(sourcePorts === undefined ? {} : { sourcePorts }) })) };
}
