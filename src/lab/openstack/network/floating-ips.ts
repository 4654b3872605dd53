import type { JsonObject } from "../world/json.js";
import { isAdmin, owns, type Requester } from "../world/requester.js";
import { type Attributes, noneOf, STANDARD } from "./attributes.js";
import { address, nullOr, uuid } from "./checks.js";
import { badResource, notFound } from "./errors.js";
import type { FloatingIp } from "./floating-ip.js";
import { associationOf } from "./floating-ip-routes.js";
import { asJson, type Manager } from "./manager.js";
import type { Network } from "./network.js";
import type { Ports } from "./ports.js";
import type { NetworkStore } from "./store.js";

const { name: _name, ...COMMON } = STANDARD;

const ATTRIBUTES: Attributes = {
  ...COMMON,
  floating_network_id: { check: uuid, post: true, required: true },
  floating_ip_address: { check: nullOr(address), post: true, admin: true, fallback: null },
  subnet_id: { check: nullOr(uuid), post: true },
  port_id: { check: nullOr(uuid), post: true, put: true },
  fixed_ip_address: { check: nullOr(address), post: true, put: true },
  router_id: {},
  status: {},
  qos_policy_id: noneOf("QosPolicyNotFound", "QoS policy"),
  port_details: {},
};

const OWNER = "network:floatingip";
const NOWHERE = { port_id: null, fixed_ip_address: null, router_id: null };

export class FloatingIps implements Manager<"floatingip"> {
  readonly kind = "floatingip";
  readonly plural = "floatingips";
  readonly attributes = ATTRIBUTES;
  readonly #store: NetworkStore;
  readonly #ports: Ports;

  constructor(store: NetworkStore, ports: Ports) {
    this.#store = store;
    this.#ports = ports;
  }

  create(values: JsonObject, requester: Requester): FloatingIp {
    this.#store.quotas.demand("floatingip", String(values.project_id));
    const network = this.#pool(String(values.floating_network_id), requester);
    const { name: _, ...standard } = this.#store.standard(values, 0);
    const floating_ip_address = this.#take(standard.id, network, values, requester);
    const made: FloatingIp = {
      ...standard,
      ...NOWHERE,
      floating_network_id: network.id,
      floating_ip_address,
      status: "DOWN",
      qos_policy_id: null,
    };
    try {
      return this.#store.add("floatingip", Object.assign(made, this.#association(made, values, requester)));
    } catch (error) {
      this.#giveBack(made);
      throw error;
    }
  }

  update(floating: FloatingIp, values: JsonObject, requester: Requester): void {
    const { port_id: _port, fixed_ip_address: _fixed, ...rest } = values;
    this.#store.change("floatingip", floating, { ...rest, ...this.#association(floating, values, requester) });
  }

  remove(floating: FloatingIp): void {
    this.#giveBack(floating);
    this.#store.remove("floatingip", floating);
  }

  /** Removes the floating addresses of an external network. */
  removeOf(network: string): void {
    for (const each of this.#store.objects.floatingip.values()) if (each.floating_network_id === network) this.remove(each);
  }

  shared(): boolean {
    return false;
  }

  show(floating: FloatingIp): JsonObject {
    return { ...asJson(floating), port_details: this.#details(floating.port_id) };
  }

  #details(id: string | null): JsonObject | null {
    if (id === null) return null;
    const { name, network_id, mac_address, admin_state_up, status, device_id, device_owner } = this.#store.get("port", id);
    return { name, network_id, mac_address, admin_state_up, status, device_id, device_owner };
  }

  #pool(id: string, requester: Requester): Network {
    const network = this.#store.get("network", id);
    const isSeen = network["router:external"] || network.shared || owns(requester, network.project_id);
    if (!isSeen) throw notFound("network", id);
    if (!network["router:external"]) throw badResource("floatingip", `Network ${id} is not a valid external network`);
    if (!network.subnets.some((subnet) => this.#store.get("subnet", subnet).ip_version === 4))
      throw badResource("floatingip", `Network ${id} does not contain any IPv4 subnet`);
    return network;
  }

  /** The port that reserves the address belongs to no project, so members cannot see it. */
  #take(device_id: string, { id, subnets }: Network, { floating_ip_address, subnet_id }: JsonObject, requester: Requester): string {
    const wanted: JsonObject = {
      ...(typeof subnet_id === "string" ? { subnet_id } : {}),
      ...(typeof floating_ip_address === "string" ? { ip_address: floating_ip_address } : {}),
    };
    const first = subnets.find((subnet) => this.#store.get("subnet", subnet).ip_version === 4) ?? "";
    const port = this.#ports.create(
      {
        project_id: "",
        network_id: id,
        device_id,
        device_owner: OWNER,
        admin_state_up: true,
        allowed_address_pairs: [],
        extra_dhcp_opts: [],
        "binding:vnic_type": "normal",
        port_security_enabled: false,
        fixed_ips: [typeof floating_ip_address === "string" ? wanted : { subnet_id: first, ...wanted }],
      },
      { ...requester, roles: ["admin"] },
    );
    return port.fixed_ips[0]?.ip_address ?? "";
  }

  #giveBack({ id }: FloatingIp): void {
    for (const port of this.#ports.ofDevice(id)) this.#ports.discard(port);
  }

  /** Returns the association after a request. A request without a port is checked against the current port. */
  #association(floating: FloatingIp, values: JsonObject, requester: Requester): Partial<FloatingIp> {
    const { port_id: wanted, fixed_ip_address: fixed } = values;
    if (typeof fixed === "string" && typeof wanted !== "string")
      throw badResource("floatingip", "fixed_ip_address cannot be specified without a port_id");
    const port = wanted === undefined ? floating.port_id : wanted;
    if (typeof port !== "string") return NOWHERE;
    const target = this.#store.get("port", port);
    if (!isAdmin(requester) && target.project_id !== requester.projectId) throw notFound("port", port);
    return { ...associationOf(this.#store, floating, target, typeof fixed === "string" ? fixed : undefined) };
  }
}
