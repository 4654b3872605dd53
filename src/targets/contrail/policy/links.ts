import type { AnyOf } from "../../../reachability/flows/policy.js";
import type { Acl } from "./acl.js";
import type { Fabric, Network, Router } from "./fabric.js";

/** Conditions for flows from one network to another. Undefined: no flow passes. Empty: all flows pass. */
export type Link = readonly AnyOf[] | undefined;

/** Zone of all addresses that are in no visible network. */
export const ANYWHERE = "anywhere";

/** Connections between networks, through their policies or through routers and route targets. */
export class Links {
  readonly #siblings = new Map<string, string[]>();
  readonly #namedBy = new Map<string, string[]>();
  /** Networks that import or export a route target, by target. */
  readonly #exchanging = new Map<string, string[]>();
  readonly #expansions = new Map<string, ReadonlyMap<string, readonly AnyOf[]>>();

  constructor(
    readonly fabric: Fabric,
    readonly acls: ReadonlyMap<string, Acl>,
  ) {
    const push = (map: Map<string, string[]>, key: string, name: string) => {
      const held = map.get(key);
      if (held === undefined) map.set(key, [name]);
      else held.push(name);
    };
    for (const { name, project, imports, exports } of fabric.networks.values()) {
      push(this.#siblings, project, name);
      for (const target of new Set([...imports, ...exports])) push(this.#exchanging, target, name);
      for (const other of acls.get(name)?.named.keys() ?? []) push(this.#namedBy, other, name);
    }
  }

  /** Returns the networks, visible or not, that flows from this network may reach. */
  from(name: string): ReadonlyMap<string, readonly AnyOf[]> {
    const network = this.fabric.networks.get(name);
    const routers = network === undefined ? [] : this.routersAt(network);
    const may = new Set([
      ...(network === undefined ? (this.#namedBy.get(name) ?? []) : this.#expanded(name).keys()),
      ...[...(network?.imports ?? [])].flatMap((target) => this.#exchanging.get(target) ?? []),
      ...routers.flatMap((router) => [...(this.#siblings.get(router.project) ?? []), ...router.networks]),
    ]);
    for (const word of [name, "*"]) may.delete(word);
    return new Map(
      [...may].sort().flatMap((other) => {
        const link = this.between(name, other);
        return link === undefined ? [] : [[other, link] as const];
      }),
    );
  }

  between(from: string, to: string): Link {
    const unread = this.#unreadPolicies(from, to);
    const [there, back] = [this.#names(from, to), this.#names(to, from)];
    if (there === undefined || back === undefined) return unread.length === 0 ? undefined : [unread];
    return [...there, ...back].map((anyOf) => [...anyOf, ...unread]);
  }

  /** Returns the conditions for traffic between a network and addresses outside all visible networks. */
  outside(network: Network, isOut: boolean): Link {
    const { name, imports, exports, isExternal, hasFabricSnat } = network;
    const text = `between ${name} and others`;
    const ways = [
      ...[...(isOut ? imports : exports)].map((target) => way("route target", `${target} is a way ${text}`)),
      ...this.routersAt(network).map((router) => way("router", `router ${router.name} is a way ${text}`)),
      ...(isExternal ? [way("gateway", `there is a gateway ${text}`)] : []),
      ...(hasFabricSnat && isOut ? [way("fabric SNAT", `fabric SNAT is a way ${text}`)] : []),
    ];
    return ways.length === 0 ? undefined : [ways];
  }

  /** Undefined: its policies do not name the other network. The policies of an unread network may. */
  #names(name: string, other: string): Link {
    const network = this.fabric.networks.get(name);
    if (network !== undefined) return this.#expanded(name).get(other);
    const text = `there is a rule of the policies of ${name} (which was not read) that names ${other}`;
    return [[{ unknown: { kind: "network", definition: text, name: text, reason: "the network was not read" }, holds: true }]];
  }

  /** Expands `any` to all networks of the project and all networks that name this one. */
  #expanded(name: string): ReadonlyMap<string, readonly AnyOf[]> {
    const made = this.#expansions.get(name) ?? this.#expand(name);
    this.#expansions.set(name, made);
    return made;
  }

  #expand(name: string): ReadonlyMap<string, readonly AnyOf[]> {
    const named = this.acls.get(name)?.named ?? new Map<string, readonly AnyOf[]>();
    const any = named.get("*");
    if (any === undefined) return named;
    const project = this.fabric.networks.get(name)?.project ?? "";
    const all = [...(this.#siblings.get(project) ?? []), ...(this.#namedBy.get(name) ?? [])].map((other) => [other, any] as const);
    const [certain, open] = [true, false].map((is) => [...named].filter(([, conditions]) => (conditions.length === 0) === is));
    // Certain names take precedence.
    return new Map([...(open ?? []), ...all, ...(certain ?? [])]);
  }

  /** Returns logical routers that connect the network, or may connect it. */
  routersAt({ name, project }: Network): readonly Router[] {
    return this.fabric.routers.filter((router) => router.networks.includes(name) || (router.hasInterfaces && router.project === project));
  }

  /** Returns connections that do not depend on policies. Empty: none. */
  #unreadPolicies(from: string, to: string): AnyOf {
    const [one, other] = [from, to].map((name) => this.fabric.networks.get(name));
    if (one === undefined || other === undefined) return [];
    const targets = [...one.imports].filter((target) => other.exports.has(target));
    const routers = this.routersAt(one).filter((router) => this.routersAt(other).includes(router));
    const isJoining = routers.filter(({ networks, hasInterfaces }) => hasInterfaces || networks.length > 1);
    const pair = `${from} to ${to}`;
    return [
      ...targets.map((target) => way("route target", `${target} is a way from ${pair}`)),
      ...isJoining.map((router) => way("router", `router ${router.name} is a way from ${pair}`)),
    ];
  }
}

function way(kind: string, name: string): AnyOf[number] {
  return { unknown: { kind, definition: name, name, reason: "the controller's objects do not say where routes lead" }, holds: true };
}
