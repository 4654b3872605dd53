import type { Path } from "../../../core/tree/path.js";
import type { AddressRange, AnyOf, Named, Unknown } from "../../../reachability/flows/policy.js";
import { ANY_PORT, type Fabric, lastOf, type Network, type PolicyRule, type Ports, type Side } from "./fabric.js";

/**
 * Access list for a network's side of a flow, derived from its policies like the controller does. Sources:
 * docs/contributing/flow-analysis.md#the-controller.
 */
export interface Acl {
  readonly entries: readonly AclEntry[];
  /** Networks that the list allows traffic to or from (`*` for any), with the conditions. No conditions: certain. */
  readonly named: ReadonlyMap<string, readonly AnyOf[]>;
  /** Networks in the entries of the list. All other networks get the same result. */
  readonly mentioned: ReadonlySet<string>;
}

export interface AclEntry {
  readonly source: Place;
  readonly destination: Place;
  readonly sourcePorts: Ports;
  readonly destinationPorts: Ports;
  readonly protocol: string;
  /** The entry also applies in the reverse direction. */
  readonly isMirrored: boolean;
  /** Undefined: the entry does not decide. */
  readonly verdict: "allow" | "deny" | undefined;
  readonly rule: RuleName;
  readonly conditions: readonly AnyOf[];
}

type Place = Pick<Side, "network" | "addresses" | "group">;

/** Origin of an entry. */
export interface RuleName {
  readonly name: string;
  readonly path: Path | undefined;
  /** True for entries that the controller adds itself. */
  readonly isDefault: boolean;
}

export const ANY = "any";
const ALL_PORTS: Ports = { first: ANY_PORT, last: ANY_PORT };
const ANYONE: Place = { network: ANY, addresses: [], group: undefined };
const FABRIC = "default-domain:default-project:ip-fabric";

/** Returns the access list of each network. */
export function aclsOf(fabric: Fabric): ReadonlyMap<string, Acl> {
  const attached = new Map<string, string[]>();
  for (const { name, attached: all } of fabric.networks.values())
    for (const { policy } of all) attached.set(policy, [...(attached.get(policy) ?? []), name]);
  return new Map([...fabric.networks.values()].map((network) => [network.name, aclOf(network, fabric, attached)]));
}

function aclOf(network: Network, fabric: Fabric, attachedTo: ReadonlyMap<string, readonly string[]>): Acl {
  const making = new Making(network, attachedTo);
  for (const { policy, isTimed } of network.attached) {
    const rules = fabric.policies.get(policy);
    if (rules === undefined) making.unread(policy);
    else for (const rule of rules) making.rule(policy, rule, isTimed);
  }
  return making.ended(isJudged(network), fabric.hasLogicalRouters);
}

/** Returns true if the network has its own access list. */
export function isJudged({ attached, hasFabricSnat, isProvider }: Network): boolean {
  return attached.some(({ isTimed }) => !isTimed) || hasFabricSnat || isProvider;
}

class Making {
  readonly #entries: AclEntry[] = [];
  readonly #named = new Map<string, readonly AnyOf[]>();
  readonly #unread: (readonly AnyOf[])[] = [];

  constructor(
    readonly network: Network,
    /** Names of networks, by policy. */
    readonly attachedTo: ReadonlyMap<string, readonly string[]>,
  ) {}

  /** Adds entries for a policy that was not read: its effect is unknown. */
  unread(policy: string): void {
    const unknown = (statement: string) => [circumstance("policy", `there is a rule of ${policy} (which was not read) that ${statement}`)];
    this.#unread.push(unknown("names both networks"));
    const rule = { name: `rules of ${lastOf(policy)}`, path: undefined, isDefault: false };
    for (const [verdict, says] of [
      ["allow", "lets it pass"],
      ["deny", "stops it"],
    ] as const)
      this.#add({ ...EVERYTHING, isMirrored: false, verdict, rule, conditions: unknown(says) });
    this.#name("*", unknown("lets it pass"));
  }

  rule(policy: string, rule: PolicyRule, isTimed: boolean): void {
    if (!rule.hasActions) return;
    const conditions = [
      ...(isTimed ? [circumstance("timer", `the timer of ${lastOf(policy)} is on`)] : []),
      ...(rule.protocol === undefined ? [circumstance("protocol", `the protocol is ${rule.protocolWord}`)] : []),
      ...rule.services.map((service) => circumstance("service", `there is a service ${lastOf(service)} that hands it on`)),
    ];
    const name = { name: `${lastOf(policy)}: ${rule.text}`, path: rule.path, isDefault: false };
    for (const source of rule.sources)
      for (const destination of rule.destinations)
        for (const [from, to] of this.#places(source, destination, rule.services.length > 0))
          for (const sourcePorts of rule.sourcePorts)
            for (const destinationPorts of rule.destinationPorts)
              this.#addEntry({
                source: from,
                destination: to,
                sourcePorts,
                destinationPorts,
                protocol: rule.protocol ?? ANY,
                isMirrored: rule.isMirrored,
                verdict: rule.services.length > 0 ? "allow" : rule.action,
                rule: name,
                conditions,
              });
  }

  /** Returns the place pairs of a rule for this network. Empty: the rule does not concern the network. */
  #places(source: Side, destination: Side, hasServices: boolean): (readonly [Place, Place])[] {
    let [from, to] = [this.#local(source), this.#local(destination)];
    const isMe = (name: string | undefined) => name === ANY || name === this.network.name;
    if (!isMe(from.network) && !isMe(to.network)) {
      if (to.network === undefined && to.policy !== undefined) {
        if (!this.#isAttached(to.policy)) return [];
        to = { ...to, policy: undefined, network: this.network.name };
      } else if (from.network === undefined && from.policy !== undefined) {
        if (!this.#isAttached(from.policy)) return [];
        from = { ...from, policy: undefined, network: this.network.name };
      } else {
        const isOfAddresses = [from, to].every((side) => side.network === undefined && side.addresses.length > 0);
        if (!isOfAddresses || hasServices) return [];
      }
    }
    return this.#expanded(from).flatMap((one) => this.#expanded(to).map((other) => [one, other] as const));
  }

  #local(side: Side): Side {
    return side.network === "local" ? { ...side, network: this.network.name } : side;
  }

  #isAttached(policy: string): boolean {
    return this.attachedTo.get(policy)?.includes(this.network.name) === true;
  }

  #expanded({ policy, ...place }: Side): Place[] {
    if (policy === undefined) return [place];
    return (this.attachedTo.get(policy) ?? []).map((network) => ({ network, addresses: [], group: undefined }));
  }

  #addEntry(entry: AclEntry): void {
    if (!this.#add(entry) || entry.verdict !== "allow") return;
    const [from, to] = [entry.source.network, entry.destination.network];
    for (const [one, other] of [
      [from, to],
      [to, from],
    ]) {
      if ((one !== ANY && one !== this.network.name) || other === undefined || other === this.network.name) continue;
      this.#name(other === ANY ? "*" : other, entry.conditions);
    }
  }

  #name(network: string, conditions: readonly AnyOf[]): void {
    const known = this.#named.get(network);
    if (known === undefined || conditions.length === 0) this.#named.set(network, conditions);
    // One of these conditions is enough.
    else if (known.length > 0) this.#named.set(network, [[...known.flat(), ...conditions.flat()]]);
  }

  /** Adds the implicit entries of the controller after the rules. */
  ended(isJudged: boolean, hasLogicalRouters: boolean): Acl {
    if (isJudged) {
      const own: Place = { network: this.network.name, addresses: [], group: undefined };
      const written = this.#entries.filter(({ rule }) => rule.path !== undefined);
      this.#implicit("allow", own, own, ">", "within a network");
      if (this.network.hasFabricSnat) {
        this.#implicit("allow", own, { ...ANYONE, network: FABRIC }, "<>", "fabric SNAT");
        this.#implicit("deny", own, ANYONE, "<>", "fabric SNAT alone");
      }
      if (hasLogicalRouters) this.#nothingElse(written, own);
      else this.#implicit("deny", ANYONE, ANYONE, ">", UNNAMED.name);
    }
    this.#add({ ...EVERYTHING, isMirrored: false, verdict: "allow", rule: UNNAMED, conditions: [] });
    const mentioned = this.#entries.flatMap(({ source, destination }) => [source.network ?? ANY, destination.network ?? ANY]);
    return { entries: this.#entries, named: this.#named, mentioned: new Set(mentioned) };
  }

  /** After the written rules, the controller denies all other traffic between the same places. */
  #nothingElse(written: readonly AclEntry[], own: Place): void {
    for (const { source, destination, isMirrored, conditions } of written) {
      const bare = (place: Place): Place => (place.network === undefined ? place : { ...place, addresses: [] });
      this.#implicit("deny", bare(source), bare(destination), isMirrored ? "<>" : ">", NOTHING_ELSE, conditions.filter(isOfBeing));
    }
    for (const conditions of this.#unread) this.#implicit("deny", ANYONE, ANYONE, ">", NOTHING_ELSE, conditions);
    if (this.network.isProvider) this.#implicit("deny", own, ANYONE, "<>", "a provider network");
  }

  #implicit(
    verdict: "allow" | "deny",
    source: Place,
    destination: Place,
    direction: "<>" | ">",
    name: string,
    conditions: readonly AnyOf[] = [],
  ): void {
    const rule = { name, path: undefined, isDefault: true };
    this.#add({ ...EVERYTHING, source, destination, isMirrored: direction === "<>", verdict, rule, conditions });
  }

  /** Returns false if the entry is omitted: the controller compares it with the entries above and treats it as covered by one of them. */
  #add(entry: AclEntry): boolean {
    const isHeld = entry.conditions.length === 0 && this.#entries.some((above) => above.conditions.length === 0 && isWithin(entry, above));
    if (!isHeld) this.#entries.push(entry);
    return !isHeld;
  }
}

const EVERYTHING = { source: ANYONE, destination: ANYONE, sourcePorts: ALL_PORTS, destinationPorts: ALL_PORTS, protocol: ANY };
const UNNAMED: RuleName = { name: "no rule names them", path: undefined, isDefault: true };

const NOTHING_ELSE = "nothing else between them";

/** True for conditions about the existence of a rule, false for conditions about matched traffic. */
function isOfBeing(anyOf: AnyOf): boolean {
  return anyOf.every(({ unknown }) => unknown.kind !== "protocol");
}

function circumstance(kind: string, name: string): AnyOf {
  const unknown: Unknown = { kind, definition: name, name, reason: "the controller's objects do not say it" };
  return [{ unknown, holds: true }];
}

/** Ignores directions. If addresses are given, also ignores networks. */
function isWithin(one: AclEntry, other: AclEntry): boolean {
  const ports = (a: Ports, b: Ports) => a.first >= b.first && (b.last === ANY_PORT || a.last <= b.last);
  return (
    ports(one.sourcePorts, other.sourcePorts) &&
    ports(one.destinationPorts, other.destinationPorts) &&
    (other.protocol === one.protocol || other.protocol === ANY) &&
    isPlaceWithin(one.source, other.source) &&
    isPlaceWithin(one.destination, other.destination)
  );
}

function isPlaceWithin(one: Place, other: Place): boolean {
  if (one.addresses.length === 0 && other.addresses.length === 0) return other.network === one.network || other.network === ANY;
  return one.addresses.some((inner) => other.addresses.some((outer) => isAddressWithin(inner, outer)));
}

function isAddressWithin({ name: inner, values: [range] }: Named<AddressRange>, { name: outer, values: [around] }: Named<AddressRange>) {
  if (range === undefined || around === undefined || inner.includes(":") !== outer.includes(":")) return false;
  return around.first <= range.first && range.last <= around.last;
}
