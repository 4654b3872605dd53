import type { Json, JsonObject } from "../world/json.js";
import { type Attribute, type Attributes, adminState, noneOf, STANDARD, zones } from "./attributes.js";
import { type Check, flag, integer, nullOr, text } from "./checks.js";
import { conflict, invalidAttribute, invalidInput } from "./errors.js";
import type { FloatingIps } from "./floating-ips.js";
import { asJson, type Manager } from "./manager.js";
import type { Network } from "./network.js";
import { Segments } from "./segments.js";
import type { NetworkStore } from "./store.js";
import type { Subnets } from "./subnets.js";

const provider = (check: Attribute["check"]): Attribute => ({ ...(check && { check }), post: true, admin: true, adminSees: true });

const mtu: Check = (value, name) => {
  const number = integer(value, name);
  if (Number(number) >= 0) return number;
  throw invalidAttribute(name, `'${String(value)}' should be non-negative`);
};

const ATTRIBUTES: Attributes = {
  ...STANDARD,
  admin_state_up: adminState,
  mtu: { check: mtu, post: true, put: true },
  status: {},
  subnets: {},
  shared: { check: flag, post: true, put: true, fallback: false, admin: true },
  availability_zone_hints: zones,
  availability_zones: {},
  ipv4_address_scope: {},
  ipv6_address_scope: {},
  "router:external": { check: flag, post: true, put: true, fallback: false, admin: true },
  is_default: { check: flag, post: true, put: true, fallback: false, admin: true },
  port_security_enabled: { check: flag, post: true, put: true, fallback: true },
  qos_policy_id: noneOf("QosPolicyNotFound", "QoS policy"),
  l2_adjacency: {},
  "provider:network_type": provider(text),
  "provider:physical_network": provider(nullOr(text)),
  "provider:segmentation_id": provider(nullOr(integer)),
};

/** Bytes that a type of network needs in each packet. */
const OVERHEAD: Readonly<Record<string, number>> = { vxlan: 50 };

/** Returns the MTU of a network. 0 or a missing value means the largest that its type allows. */
function mtuOf(wanted: Json | undefined, type: string): number {
  const largest = 1500 - (OVERHEAD[type] ?? 0);
  if (typeof wanted !== "number" || wanted === 0) return largest;
  if (wanted > largest) throw invalidInput(`Requested MTU is too big, maximum is ${largest}`);
  return wanted;
}

export class Networks implements Manager<"network"> {
  readonly kind = "network";
  readonly plural = "networks";
  readonly attributes = ATTRIBUTES;
  readonly #store: NetworkStore;
  readonly #subnets: Subnets;
  readonly #floating: FloatingIps;
  readonly #segments: Segments;

  constructor(store: NetworkStore, subnets: Subnets, floating: FloatingIps, lastTunnel: number) {
    this.#segments = new Segments(lastTunnel);
    this.#store = store;
    this.#subnets = subnets;
    this.#floating = floating;
  }

  create(values: JsonObject): Network {
    this.#store.quotas.demand("network", String(values.project_id));
    const segment = this.#segments.take(
      values["provider:network_type"],
      values["provider:physical_network"],
      values["provider:segmentation_id"],
    );
    const { type } = segment;
    return this.#store.add("network", {
      ...this.#store.standard(values, 1),
      admin_state_up: values.admin_state_up === true,
      mtu: mtuOf(values.mtu, type),
      status: "ACTIVE",
      subnets: [],
      shared: values.shared === true,
      availability_zone_hints: values.availability_zone_hints as string[],
      availability_zones: [],
      ipv4_address_scope: null,
      ipv6_address_scope: null,
      "router:external": values["router:external"] === true,
      is_default: values.is_default === true,
      port_security_enabled: values.port_security_enabled === true,
      qos_policy_id: null,
      l2_adjacency: true,
      "provider:network_type": type,
      "provider:physical_network": segment.physicalNetwork,
      "provider:segmentation_id": segment.id,
    });
  }

  update(network: Network, values: JsonObject): void {
    const mtu = values.mtu === undefined ? {} : { mtu: mtuOf(values.mtu, network["provider:network_type"]) };
    this.#store.change("network", network, { ...(values as Partial<Network>), ...mtu });
  }

  /** Deletes the network's subnets and floating addresses too. Throws if other ports remain. */
  remove(network: Network): void {
    this.#floating.removeOf(network.id);
    const ports = [...(this.#store.portsOfNetwork.get(network.id) ?? [])];
    if (ports.length > 0) {
      throw conflict(
        "NetworkInUse",
        `Unable to complete operation on network ${network.id}. There are one or more ports still in use on the network, id for these ports is: ${ports.join(",")}.`,
      );
    }
    for (const id of [...network.subnets]) this.#subnets.remove(this.#store.get("subnet", id));
    this.#segments.release(network["provider:network_type"], network["provider:physical_network"], network["provider:segmentation_id"]);
    this.#store.remove("network", network);
  }

  shared(network: Network): boolean {
    return network.shared || network["router:external"];
  }

  /** Only external networks show `is_default`. */
  show(network: Network): JsonObject {
    const shown = asJson(network);
    if (!network["router:external"]) delete shown.is_default;
    return shown;
  }
}
