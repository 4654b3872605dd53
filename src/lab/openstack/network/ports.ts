import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../world/json.js";
import { isAdmin, type Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { addressPairs, demandPortSecurity, pairsOf } from "./address-pairs.js";
import { parseAddress } from "./addresses.js";
import { allocate } from "./allocate.js";
import { type Attributes, adminState, noneOf, STANDARD } from "./attributes.js";
import { address, anything, type Check, flag, listOf, mac, nullOr, oneOf, text, uuid } from "./checks.js";
import { changedOptions, dhcpOptions } from "./dhcp-options.js";
import { badResource, conflict, invalidAttribute, notFound } from "./errors.js";
import { disassociate } from "./floating-ip-routes.js";
import { asJson, type Manager } from "./manager.js";
import type { FixedIp, Port } from "./port.js";
import type { SecurityGroups } from "./security-groups.js";
import { index, type NetworkStore } from "./store.js";
import { demandNoTrunk, trunkDetails } from "./trunks.js";

const VNIC_TYPES = [
  ...["normal", "direct", "macvtap", "baremetal", "direct-physical", "virtio-forwarder", "smart-nic"],
  ...["vdpa", "accelerator-direct", "accelerator-direct-physical", "remote-managed"],
];

const binding = { adminSees: true };

/** Ignores unknown keys. Refuses a list that contains an address twice. */
const fixedIps: Check = (value, name) => {
  const checked = listOf((each) => {
    if (!isObject(each)) throw invalidAttribute(name, "Invalid data format for fixed IP");
    const { subnet_id, ip_address } = each;
    if (ip_address !== undefined) address(ip_address, name);
    if (subnet_id !== undefined) uuid(subnet_id, name);
    return each;
  })(value, name) as Partial<FixedIp>[];
  const addresses = checked.flatMap(({ ip_address }) => ip_address ?? []);
  const twice = addresses.find((each, index) => addresses.indexOf(each) !== index);
  if (twice !== undefined) throw invalidAttribute(name, `Duplicate IP address '${twice}'`);
  return checked;
};

const ATTRIBUTES: Attributes = {
  ...STANDARD,
  network_id: { check: uuid, post: true, required: true },
  mac_address: { check: nullOr(mac), post: true, put: true, adminChanges: true },
  admin_state_up: adminState,
  status: {},
  device_id: { check: text, post: true, put: true, fallback: "" },
  device_owner: { check: text, post: true, put: true, fallback: "" },
  fixed_ips: { check: fixedIps, post: true, put: true },
  allowed_address_pairs: { check: addressPairs, post: true, put: true, fallback: [] },
  extra_dhcp_opts: { check: dhcpOptions, post: true, put: true, fallback: [] },
  security_groups: { check: listOf(uuid), post: true, put: true },
  "binding:vnic_type": { check: oneOf(...VNIC_TYPES), post: true, put: true, fallback: "normal" },
  "binding:host_id": { check: text, post: true, put: true, admin: true, ...binding },
  "binding:vif_type": binding,
  "binding:vif_details": binding,
  "binding:profile": { check: anything, post: true, put: true, admin: true, ...binding },
  port_security_enabled: { check: flag, post: true, put: true },
  qos_policy_id: noneOf("QosPolicyNotFound", "QoS policy"),
  qos_network_policy_id: {},
  ip_allocation: {},
};

export class Ports implements Manager<"port"> {
  readonly kind = "port";
  readonly plural = "ports";
  readonly attributes = ATTRIBUTES;
  readonly #store: NetworkStore;
  readonly #groups: SecurityGroups;

  constructor(store: NetworkStore, groups: SecurityGroups) {
    this.#store = store;
    this.#groups = groups;
  }

  create(values: JsonObject, requester: Requester): Port {
    const network = this.#store.get("network", String(values.network_id));
    const isOpen = network.shared || this.#store.isGiven(network.id, requester.projectId);
    if (!isAdmin(requester) && network.project_id !== requester.projectId && !isOpen) throw notFound("network", network.id);
    const project = String(values.project_id);
    this.#store.quotas.demand("port", project);
    const mac_address = this.#mac(values.mac_address as string | null | undefined, network.id);
    const isService = String(values.device_owner).startsWith("network:");
    const secure = (values.port_security_enabled ?? (!isService && network.port_security_enabled)) === true;
    const groups = this.#groupsOf(values, project, secure);
    demandPortSecurity(secure, pairsOf(values, mac_address));
    const standard = this.#store.standard(values, 1);
    const fixed_ips = allocate(
      this.#store,
      network,
      { id: standard.id, mac_address, device_owner: String(values.device_owner) },
      values.fixed_ips as Partial<FixedIp>[] | undefined,
    );
    const bound = typeof values["binding:host_id"] === "string" && values["binding:host_id"] !== "";
    const port: Port = {
      ...standard,
      network_id: network.id,
      mac_address,
      admin_state_up: values.admin_state_up === true,
      status: bound ? "ACTIVE" : "DOWN",
      device_id: String(values.device_id),
      device_owner: String(values.device_owner),
      fixed_ips,
      allowed_address_pairs: pairsOf(values, mac_address),
      extra_dhcp_opts: changedOptions([], values.extra_dhcp_opts),
      security_groups: groups,
      "binding:vnic_type": String(values["binding:vnic_type"]),
      "binding:host_id": bound ? String(values["binding:host_id"]) : "",
      "binding:vif_type": bound ? "ovs" : "unbound",
      "binding:vif_details": bound ? { port_filter: true } : {},
      "binding:profile": {},
      port_security_enabled: secure,
      qos_policy_id: null,
      qos_network_policy_id: null,
      ip_allocation: fixed_ips.length === 0 ? "none" : "immediate",
    };
    index(this.#store.portsOfNetwork, network.id, port.id);
    this.#index(port);
    return this.#store.add("port", port);
  }

  update(port: Port, values: JsonObject): void {
    const network = this.#store.get("network", port.network_id);
    const changes = { ...values } as Partial<Port>;
    if (Array.isArray(values.fixed_ips) && port.device_owner.startsWith("network:router_interface"))
      throw badResource("ports", `IP updates for port ${port.id} are not allowed`);
    if (Array.isArray(values.security_groups)) this.#checkGroups(values.security_groups.map(String));
    refuseGroups(changes, port);
    if (values.extra_dhcp_opts !== undefined) changes.extra_dhcp_opts = changedOptions(port.extra_dhcp_opts, values.extra_dhcp_opts);
    if (values.allowed_address_pairs !== undefined) changes.allowed_address_pairs = pairsOf(values, port.mac_address);
    demandPortSecurity(
      changes.port_security_enabled ?? port.port_security_enabled,
      changes.allowed_address_pairs ?? port.allowed_address_pairs,
    );
    this.#forget(port);
    try {
      if (Array.isArray(values.fixed_ips)) changes.fixed_ips = this.#readdress(port, network, values.fixed_ips as Partial<FixedIp>[]);
      const host = values["binding:host_id"];
      if (typeof host === "string") {
        changes.status = host === "" ? "DOWN" : "ACTIVE";
        changes["binding:vif_type"] = host === "" ? "unbound" : "ovs";
        changes["binding:vif_details"] = host === "" ? {} : { port_filter: true };
      }
      // Neutron stores addresses and policies separately from ports, so an update with the same ones does not change the revision.
      const isSame = Object.keys(changes).every(
        (field) => (field === "fixed_ips" || field === "qos_policy_id") && isDeepStrictEqual(changes[field], port[field]),
      );
      if (!isSame) this.#store.change("port", port, changes);
    } finally {
      this.#index(port);
    }
  }

  remove(port: Port): void {
    if (port.device_owner.startsWith("network:router_") && this.#store.objects.router.has(port.device_id)) {
      throw conflict(
        "ServicePortInUse",
        `Port ${port.id} cannot be deleted directly via the port API: has device owner ${port.device_owner}.`,
      );
    }
    demandNoTrunk(this.#store, port);
    this.discard(port);
  }

  /** Deletes a port without checking the owner of its device. Routers and servers delete their own ports this way. */
  discard(port: Port): void {
    for (const each of port.fixed_ips) this.#release(each);
    this.takeBack(port);
  }

  /**
   * Undoes a create of a refused bulk request. As in the real service, its addresses stay in use, without a port, as long as the subnet
   * exists.
   */
  takeBack(port: Port): void {
    disassociate(this.#store, port.id);
    this.#forget(port);
    this.#store.portsOfNetwork.get(port.network_id)?.delete(port.id);
    this.#store.remove("port", port);
  }

  ofDevice(deviceId: string): Port[] {
    return [...(this.#store.portsOfDevice.get(deviceId) ?? [])].map((id) => this.#store.get("port", id));
  }

  shared(): boolean {
    return false;
  }

  show(port: Port): JsonObject {
    return { ...asJson(port), ...trunkDetails(this.#store, port) };
  }

  #mac(wanted: string | null | undefined, networkId: string): string {
    if (wanted === undefined || wanted === null) return this.#store.identifiers.mac();
    for (const id of this.#store.portsOfNetwork.get(networkId) ?? []) {
      if (this.#store.get("port", id).mac_address !== wanted) continue;
      throw conflict("MacAddressInUse", `Unable to complete operation for network ${networkId}. The mac address ${wanted} is in use.`);
    }
    return wanted;
  }

  #groupsOf({ security_groups, device_owner }: JsonObject, project: string, secure: boolean): string[] {
    const given = Array.isArray(security_groups) ? security_groups.map(String) : undefined;
    if (given !== undefined && given.length > 0 && !secure) {
      throw new ServiceError(
        400,
        "PortSecurityPortHasSecurityGroup",
        "Port has security group associated. Cannot disable port security or IP address until security group is removed.",
      );
    }
    this.#checkGroups(given ?? []);
    if (given !== undefined) return given;
    return secure && !String(device_owner).startsWith("network:") ? [this.#groups.defaultOf(project).id] : [];
  }

  /** Allocates new addresses and keeps existing ones, also for an entry without an address. A refusal restores the previous addresses. */
  #readdress(port: Port, network: Parameters<typeof allocate>[1], requested: Partial<FixedIp>[]): FixedIp[] {
    const kept = port.fixed_ips.filter(({ ip_address }) => requested.every((each) => each.ip_address !== ip_address));
    const wanted = requested.map((each) => {
      const at = each.ip_address === undefined ? kept.findIndex(({ subnet_id }) => subnet_id === each.subnet_id) : -1;
      return at === -1 ? each : (kept.splice(at, 1)[0] ?? each);
    });
    for (const each of port.fixed_ips) this.#release(each);
    try {
      return allocate(this.#store, network, port, wanted).sort((a, b) => (a.ip_address < b.ip_address ? -1 : 1));
    } catch (error) {
      for (const { subnet_id, ip_address } of port.fixed_ips) {
        this.#store.addresses.get(subnet_id)?.take(parseAddress(ip_address)?.value ?? 0n, port.id);
      }
      throw error;
    }
  }

  #release({ subnet_id, ip_address }: FixedIp): void {
    const value = parseAddress(ip_address)?.value;
    if (value !== undefined) this.#store.addresses.get(subnet_id)?.release(value);
  }

  #checkGroups(ids: readonly string[]): void {
    const kinds = new Set(ids.map((id) => this.#store.get("security_group", id).stateful));
    if (kinds.size < 2) return;
    const reason = "Cannot apply both stateful and stateless security groups on the same port at the same time";
    throw conflict("SecurityGroupConflict", `Error ${reason} while attempting the operation.`);
  }

  #index({ id, device_id, security_groups }: Port): void {
    if (device_id !== "") index(this.#store.portsOfDevice, device_id, id);
    for (const group of security_groups) index(this.#store.portsOfGroup, group, id);
  }

  #forget({ id, device_id, security_groups }: Port): void {
    this.#store.portsOfDevice.get(device_id)?.delete(id);
    for (const group of security_groups) this.#store.portsOfGroup.get(group)?.delete(id);
  }
}

/** Implements filters such as `fixed_ips=ip_address=10.0.0.9`. */
export function hasFixedIp(fixedIps: unknown, filter: string): boolean {
  const [key = "", ...value] = filter.split("=");
  return Array.isArray(fixedIps) && fixedIps.some((each) => isObject(each) && each[key] === value.join("="));
}

/** Refuses groups on a port without port security. */
function refuseGroups(changes: Partial<Port>, port: Port): void {
  if (changes.port_security_enabled ?? port.port_security_enabled) return;
  if ((changes.security_groups ?? port.security_groups).length === 0) return;
  if (changes.security_groups === undefined)
    throw conflict(
      "PortSecurityPortHasSecurityGroup",
      "Port has security group associated. Cannot disable port security or IP address until security group is removed.",
    );
  throw new ServiceError(
    400,
    "PortSecurityAndIPRequiredForSecurityGroups",
    "Port security must be enabled and port must have an IP address in order to use security groups.",
  );
}
