import { PlumblineError } from "../../../core/errors.js";
import { literalService } from "../../../core/service-range.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Door, Way } from "../../../outcome/reach.js";
import type { FlowQuestion } from "../../../reachability/policy-role.js";
import { isDisabled } from "../security-rule.js";
import { Addresses } from "./addresses.js";
import { Applications } from "./applications.js";
import { interfacesOf } from "./changes-outside-rules.js";
import { rangesOf } from "./contains-value.js";
import { type Host, hostAt, hostOf } from "./host.js";
import { NameScopes } from "./name-scopes.js";
import { type NatFlow, type NatRule, natRulesOf, type ReverseRule, reverseRulesOf, translationsOf, wayBackDoubts } from "./nat.js";
import { Reading, type ReadingOptions } from "./reading.js";
import { type Exit, Routes } from "./routes.js";
import { type Names, rulesOf } from "./rules.js";
import { Services } from "./services.js";
import type { EffectiveSystem } from "./systems.js";

/**
 * Returns the ways of one flow through a virtual system, before any translation. Routes to its source decide where it enters, unless the
 * question names a zone. NAT rules match the zone of the original destination. Security rules match the zone after NAT, but the addresses
 * and the port before it. Throws `flow-not-understood`.
 */
export function forwardingPaths(root: TreeNode, system: EffectiveSystem, question: FlowQuestion, options: ReadingOptions): Way[] {
  const walk = walkIn(root, system, options);
  const ways = walk.ways(question);
  const alternative = walk.reading.asOf();
  return alternative.length === 0 ? ways : ways.map((way) => ({ ...way, beside: alternative }));
}

/** Collects the interfaces, routes, names and NAT rules of a virtual system. */
export function walkIn(root: TreeNode, system: EffectiveSystem, options: ReadingOptions): Walk {
  const reading = new Reading(options);
  const scopes = new NameScopes(system.names);
  const [addresses, services] = [new Addresses(scopes, reading), new Services(scopes, reading)];
  const names = { scopes, addresses, services, applications: new Applications(scopes, reading, new Set()) };
  return new Walk(system, names, new Routes(system.network ?? root, addresses), reading);
}

interface Entered {
  readonly door: Door | undefined;
  readonly router: string;
  readonly conditions: readonly string[];
  readonly ends?: string | undefined;
}

/** Follows flows in one virtual system. */
export class Walk {
  /** Zones by interface. */
  readonly zones: ReadonlyMap<string, string>;
  /** Names of policy-based forwarding rules, which apply before routes. */
  readonly forwarding: readonly string[];
  /** Enabled NAT rules. */
  readonly natRules: readonly NatRule[];
  /** NAT rules and their reverse directions, in order of evaluation. */
  readonly reverseRules: readonly ReverseRule[];

  constructor(
    readonly system: EffectiveSystem,
    readonly names: Names,
    readonly routes: Routes,
    readonly reading: Reading,
  ) {
    this.zones = new Map([...interfacesOf(system)].flatMap(([zone, interfaces]) => interfaces.map((each) => [each, zone] as const)));
    this.forwarding = system.layers
      .flatMap((layer) => rulesOf(layer, "pbf").filter((rule) => !isDisabled(rule)))
      .map(({ name }) => name ?? "");
    this.natRules = natRulesOf(system);
    this.reverseRules = reverseRulesOf(this.natRules, reading.assumed);
  }

  ways(question: FlowQuestion): Way[] {
    const source = this.#host(question.source, "--source");
    const destination = this.#host(question.destination, "--destination");
    const { protocol, port } = serviceOf(question.service);
    if (question.to.length > 0) throw notOne("--to", "nothing, because routes and NAT decide");
    const forwarded =
      this.forwarding.length === 0 ? [] : [`no rule of policy-based forwarding sends it elsewhere (${this.forwarding.join(", ")})`];
    return this.#entrances(source, question.from).flatMap(({ door: from, router, conditions, ends }) => {
      const before = [...conditions, ...forwarded];
      if (from === undefined) return [{ conditions: before, ends }];
      return this.routes.lookUp(destination, router).flatMap((first) => {
        const zone = this.zones.get(first.interface ?? "");
        const known = { conditions: [...before, ...first.conditions], from };
        if (zone === undefined) return [{ ...known, ends: this.#noZone(first) }];
        const flow: NatFlow = { from: from.zone, to: zone, interface: first.interface, source, destination, protocol, port };
        const doubts = wayBackDoubts(flow, this);
        return translationsOf(flow, this).flatMap((made): Way[] => {
          const conditions = [...known.conditions, ...made.conditions];
          const now = { ...known, conditions, translation: made.translation, ...(doubts.length === 0 ? {} : { doubts }) };
          if (made.destinations.length === 0)
            return [{ ...now, ends: made.ends ?? `the location of ${made.translation?.destination} is not known` }];
          const isSame = made.destinations.length === 1 && made.destinations[0]?.number === destination.number;
          return isSame ? [this.#leaves(now, first, destination)] : this.#leadsTo(made.destinations, router, now);
        });
      });
    });
  }

  #leadsTo(destinations: readonly Host[], router: string, way: Way): Way[] {
    return destinations.flatMap((host) => {
      const chosen = destinations.length === 1 ? [] : [`${host.text} is taken of ${destinations.length} addresses`];
      return this.routes
        .lookUp(host, router)
        .map((exit) => this.#leaves({ ...way, conditions: [...way.conditions, ...chosen, ...exit.conditions] }, exit, host));
    });
  }

  #leaves(way: Way, exit: Exit, host: Host): Way {
    const zone = this.zones.get(exit.interface ?? "");
    if (zone === undefined) return { ...way, ends: this.#noZone(exit) };
    const led = { ...way, to: { zone, interface: exit.interface, route: exit.route, nextHop: exit.nextHop }, reaches: host.text };
    const owner = this.routes.ownerOf(host);
    return owner === undefined ? led : { ...led, ends: `${host.text} is the firewall itself (${owner}), and flows to it are not modelled` };
  }

  #noZone(exit: Exit): string {
    return exit.ends ?? `it leaves by ${exit.interface}, which is in no zone of ${this.system.scope}`;
  }

  /** Returns where a flow may enter: by the routers with the most specific route to its source. */
  #entrances(source: Host, zones: readonly string[]): Entered[] {
    const [zone, ...more] = zones;
    if (more.length > 0) throw notOne("--from", "one zone, or none");
    const own = this.routes.routers.filter(({ interfaces }) => interfaces.some((each) => this.zones.has(each)));
    const exits = own.flatMap(({ name }) => this.routes.lookUp(source, name));
    const nearest = exits.filter(
      ({ size }) => size !== undefined && exits.every((other) => other.size === undefined || size <= other.size),
    );
    // Several routers may lead to one interface. It counts once, for the router that it belongs to.
    const entered = [...new Map(nearest.map((exit) => [exit.interface, exit])).values()];
    const doors = entered.flatMap((exit): Entered[] => {
      const at = this.zones.get(exit.interface ?? "");
      if (at === undefined) return [];
      const alike = entered.length > 1 && zone === undefined ? [`it comes in by ${exit.interface}`] : [];
      const door = { zone: at, interface: exit.interface, route: exit.route };
      return [{ door, router: exit.router, conditions: [...alike, ...exit.conditions] }];
    });
    if (zone === undefined) {
      if (doors.length > 0) return doors;
      const why = exits[0] === undefined ? `${this.system.scope} has no interface with routes` : this.#noZone(exits[0]);
      return [
        {
          door: undefined,
          router: "",
          conditions: [],
          ends: `the zone of ${source.text} is not known (${why}): set it with --from`,
        },
      ];
    }
    const there = doors.filter(({ door }) => door?.zone === zone);
    if (there.length > 0) return there.map((each) => ({ ...each, conditions: [] }));
    const routers = own.filter(({ interfaces }) => interfaces.some((each) => this.zones.get(each) === zone));
    if (routers.length > 0)
      return routers.map(({ name }) => ({
        door: { zone },
        router: name,
        conditions: routers.length === 1 ? [] : [`it comes in by router ${name}`],
      }));
    return [{ door: undefined, router: "", conditions: [], ends: `no interface with routes is in zone ${zone}` }];
  }

  /** Parses an address, or the name of an object with one address. */
  #host([text, ...more]: readonly string[], flag: string): Host {
    if (text === undefined || more.length > 0) throw notOne(flag, "one address");
    const literal = hostOf(text);
    if (literal !== undefined) return literal;
    const [range, ...others] = rangesOf(this.names.addresses.named(text)) ?? [];
    if (range === undefined || others.length > 0 || range.first !== range.last) throw notOne(flag, `one address, which "${text}" is not`);
    return hostAt(range.first);
  }
}

function serviceOf([text, ...more]: readonly string[]): { readonly protocol: number; readonly port: number } {
  const [range, ...others] = text === undefined ? [] : (literalService(text) ?? []);
  const isOne = range !== undefined && others.length === 0 && more.length === 0;
  if (!isOne || (range.first !== range.last && text?.includes("/")))
    throw notOne("--service", "one service with one port, for example tcp/443");
  const hasPorts = [6, 17, 132].includes(range.protocol);
  if (hasPorts && range.first !== range.last) throw notOne("--service", "one service with one port, for example tcp/443");
  return { protocol: range.protocol, port: hasPorts ? range.first : 0 };
}

function notOne(flag: string, needed: string): PlumblineError {
  return new PlumblineError("flow-not-understood", `A path needs a single flow: ${flag} needs ${needed}.`, {
    next: "Without --as-sent the question may be about any set of flows.",
  });
}
