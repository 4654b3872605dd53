import { readPorts } from "../../../core/service-range.js";
import { childByTag } from "../../../core/tree/lookup.js";
import type { ApplicationName, Named, ServiceRange, Unknown } from "../../../insight/policy.js";
import { type Found, membersOf, type NameScopes } from "./name-scopes.js";
import type { Reading } from "./reading.js";
import { cycle, opaque } from "./unknowns.js";

export type Application = Named<ApplicationName>;

const PROTOCOLS: ReadonlyMap<string, number> = new Map([
  ["tcp", 6],
  ["udp", 17],
  ["sctp", 132],
]);

/** Applications in the rules of one rulebase. Each is resolved once. An undefined name is a predefined application. */
export class Applications {
  /** Custom applications with their default ports. Undefined if the ports cannot be parsed. */
  readonly custom = new Map<ApplicationName, readonly ServiceRange[] | undefined>();
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
    for (const found of scopes.all("application")) this.custom.set(found.node.name ?? "", defaultPorts(found));
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

  #read(name: string): Application {
    const found = this.#scopes.find(name, ["application", "application-group", "application-filter"]);
    if (found === undefined) return made(name, name, { values: [name], unknowns: this.#parts(name) });
    const { scope, list, path, node } = found;
    const id = `${scope.word}/${list}/${name}`;
    const origin = this.#reading.where(path);
    if (list === "application") return { ...made(id, name, { values: [name] }), origin };
    if (list === "application-group")
      return { ...made(id, name, { members: (membersOf(node, "members") ?? []).map((member) => this.named(member)) }), origin };
    const reason = "which applications a filter selects is in the device's content, which was not read";
    return { ...made(id, name, { unknowns: [opaque("application filter", found, reason)] }), origin };
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

/** Parses the default ports of an application, for example `tcp/80,443` or `udp/dynamic`. Undefined if they are not defined as ports. */
function defaultPorts({ node }: Found): readonly ServiceRange[] | undefined {
  const said = childByTag(node, "default");
  const protocol = Number((said && childByTag(said, "ident-by-ip-protocol")?.text) ?? Number.NaN);
  if (protocol >= 0 && protocol <= 255) return [{ protocol, first: 0, last: 65_535 }];
  const rows = said === undefined ? [] : (membersOf(said, "port") ?? []);
  const ranges = rows.map(readDefault);
  return rows.length === 0 || ranges.includes(undefined) ? undefined : ranges.flatMap((range) => range ?? []);
}

function readDefault(row: string): readonly ServiceRange[] | undefined {
  const [word = "", ports = ""] = row.split("/");
  const protocol = PROTOCOLS.get(word.trim().toLowerCase());
  if (protocol === undefined) return undefined;
  if (ports.trim() === "dynamic") return [{ protocol, first: 0, last: 65_535 }];
  return readPorts(ports)?.map((range) => ({ protocol, ...range }));
}
