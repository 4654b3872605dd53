import { isObject, type Json, type JsonObject } from "../world/json.js";
import { isAdmin, type Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import { formatAddress, parseAddress, within } from "./addresses.js";
import { type Attributes, adminState, STANDARD, zones } from "./attributes.js";
import { address, anything, type Check, destination, flag, listOf, record, unique, uuid } from "./checks.js";
import { badResource, conflict, disallowed, invalidAttribute } from "./errors.js";
import { refuseGatewayInUse, refuseInterfaceInUse } from "./floating-ip-routes.js";
import { asJson, type Manager } from "./manager.js";
import type { Port } from "./port.js";
import type { Ports } from "./ports.js";
import type { ExternalGateway, Router } from "./router.js";
import type { NetworkStore } from "./store.js";
import type { HostRoute } from "./subnet.js";

/** The lab has no router flavors. */
const unknownFlavor: Check = (value) => {
  throw new ServiceError(404, "FlavorNotFound", `Flavor ${String(value)} could not be found.`);
};

const gatewayKeys = record({ network_id: uuid, enable_snat: flag, external_fixed_ips: anything }, true);

/** Null and an empty object mean no gateway. */
const gatewayInfo: Check = (value, name) => {
  if (value === null || (isObject(value) && Object.keys(value).length === 0)) return value;
  if (isObject(value) && value.network_id === undefined) throw invalidAttribute(name, "Validation of dictionary's keys failed");
  return gatewayKeys(value, name);
};

const ATTRIBUTES: Attributes = {
  ...STANDARD,
  admin_state_up: adminState,
  status: {},
  external_gateway_info: { check: gatewayInfo, post: true, put: true, fallback: null },
  routes: { check: unique(listOf(record({ destination, nexthop: address })), "hostroute"), put: true },
  availability_zone_hints: zones,
  availability_zones: {},
  flavor_id: { check: unknownFlavor, post: true },
  distributed: { check: flag, post: true, put: true, admin: true, adminSees: true },
  ha: { check: flag, post: true, put: true, admin: true, adminSees: true },
};

const INTERFACE = "network:router_interface";
const GATEWAY = "network:router_gateway";

/** Reply to adding or removing an interface. */
export type RouterInterface = {
  readonly id: string;
  readonly tenant_id: string;
  readonly port_id: string;
  readonly network_id: string;
  readonly subnet_id: string;
  readonly subnet_ids: string[];
};

/** Parts of a gateway that only administrators may set. */
const ADMINISTRATORS_PARTS = ["enable_snat", "external_fixed_ips"];

function refuseToMembers(rule: string, gateway: Json | undefined, requester: Requester): void {
  if (gateway === undefined || !isObject(gateway) || isAdmin(requester)) return;
  const forbidden = ADMINISTRATORS_PARTS.filter((part) => part in gateway);
  if (forbidden.length === 0) return;
  const about = `rule:${rule}:external_gateway_info`;
  const parts = ["network_id", ...forbidden].map((part) => `${about}:${part}`).join(" and ");
  throw disallowed(`(rule:${rule} and (${about} and (${parts})))`);
}

export class Routers implements Manager<"router"> {
  readonly kind = "router";
  readonly plural = "routers";
  readonly attributes = ATTRIBUTES;
  readonly #store: NetworkStore;
  readonly #ports: Ports;

  constructor(store: NetworkStore, ports: Ports) {
    this.#store = store;
    this.#ports = ports;
  }

  create(values: JsonObject, requester: Requester): Router {
    refuseToMembers("create_router", values.external_gateway_info, requester);
    this.#store.quotas.demand("router", String(values.project_id));
    const standard = this.#store.standard(values, 1);
    const gateway = this.#gateway(standard.id, values.external_gateway_info ?? null, requester);
    return this.#store.add("router", {
      ...standard,
      admin_state_up: values.admin_state_up === true,
      status: "ACTIVE",
      external_gateway_info: gateway,
      routes: [],
      availability_zone_hints: values.availability_zone_hints as string[],
      availability_zones: [],
      flavor_id: null,
      distributed: values.distributed === true,
      ha: values.ha === true,
    });
  }

  update(router: Router, values: JsonObject, requester: Requester): void {
    refuseToMembers("update_router", values.external_gateway_info, requester);
    const changes = { ...values } as Partial<Router>;
    for (const { nexthop } of (values.routes as unknown as HostRoute[] | undefined) ?? []) this.#refuseUnreachable(router, nexthop);
    if (values.external_gateway_info !== undefined) {
      const wanted = values.external_gateway_info;
      this.#refuseBadGateway(wanted);
      const isSame = isObject(wanted) && wanted.network_id === router.external_gateway_info?.network_id;
      if (!isSame) refuseGatewayInUse(this.#store, router);
      this.#dropGateway(router);
      changes.external_gateway_info = this.#gateway(router.id, wanted, requester);
    }
    this.#store.change("router", router, changes);
  }

  remove(router: Router): void {
    const interfaces = this.#interfaces(router).map(({ id }) => id);
    if (interfaces.length > 0) {
      throw conflict("RouterInUse", `Router ${router.id} has ports still attached: ${interfaces.join(", ")}`);
    }
    this.#dropGateway(router);
    this.#store.remove("router", router);
  }

  addInterface(router: Router, body: JsonObject, requester: Requester): RouterInterface {
    const { subnet_id, port_id } = body;
    if (typeof subnet_id !== "string" && typeof port_id !== "string") {
      throw badResource("router", "Either subnet_id or port_id must be specified");
    }
    if (typeof subnet_id === "string" && typeof port_id === "string")
      throw badResource("router", "Cannot specify both subnet-id and port-id");
    const port = typeof port_id === "string" ? this.#adopt(router, port_id) : this.#attach(router, String(subnet_id), requester);
    this.#store.change("router", router, {});
    return this.#answer(router, port);
  }

  removeInterface(router: Router, { subnet_id, port_id }: JsonObject): RouterInterface {
    if (typeof subnet_id !== "string" && typeof port_id !== "string") {
      throw badResource("router", "Either subnet_id or port_id must be specified");
    }
    const port = this.#interfaces(router).find(
      (each) => each.id === port_id || (port_id === undefined && each.fixed_ips.some((ip) => ip.subnet_id === subnet_id)),
    );
    if (port === undefined) {
      throw typeof port_id === "string"
        ? new ServiceError(404, "RouterInterfaceNotFound", `Router ${router.id} does not have an interface with id ${port_id}`)
        : new ServiceError(404, "RouterInterfaceNotFoundForSubnet", `Router ${router.id} has no interface on subnet ${subnet_id}`);
    }
    const answer = this.#answer(router, port);
    refuseInterfaceInUse(this.#store, router.id, answer.subnet_ids);
    this.#refuseInterfaceOfRoute(router, answer.subnet_ids);
    this.#ports.discard(port);
    this.#store.change("router", router, {});
    return answer;
  }

  shared(): boolean {
    return false;
  }

  show(router: Router): JsonObject {
    return asJson(router);
  }

  #interfaces(router: Router): Port[] {
    return this.#ports.ofDevice(router.id).filter(({ device_owner }) => device_owner === INTERFACE);
  }

  #attach(router: Router, subnetId: string, requester: Requester): Port {
    const subnet = this.#store.get("subnet", subnetId);
    this.#refuseSecond(router, subnetId);
    if (subnet.gateway_ip === null) throw badResource("router", "Subnet for router interface must have a gateway IP");
    return this.#port(router.id, router.project_id, subnet.network_id, INTERFACE, requester, [
      { subnet_id: subnetId, ip_address: subnet.gateway_ip },
    ]);
  }

  #adopt(router: Router, portId: string): Port {
    const port = this.#store.get("port", portId);
    if (port.device_id !== "") {
      throw conflict(
        "PortInUse",
        `Unable to complete operation on port ${port.id} for network ${port.network_id}. Port already has an attached device ${port.device_id}.`,
      );
    }
    const [first, ...others] = port.fixed_ips.filter(({ ip_address }) => !ip_address.includes(":"));
    if (port.fixed_ips.length === 0) throw badResource("router", "Router port must have at least one fixed IP");
    if (others.length > 0) throw badResource("router", "Cannot have multiple IPv4 subnets on router port");
    for (const { subnet_id } of first === undefined ? port.fixed_ips : [first]) this.#refuseSecond(router, subnet_id);
    this.#ports.update(port, { device_id: router.id, device_owner: INTERFACE });
    return port;
  }

  #refuseSecond(router: Router, subnet: string): void {
    const isThere = this.#interfaces(router).some(({ fixed_ips }) => fixed_ips.some((ip) => ip.subnet_id === subnet));
    if (isThere) throw badResource("router", `Router already has a port on subnet ${subnet}`);
  }

  #answer(router: Router, { id, network_id, fixed_ips }: Port): RouterInterface {
    const subnets = fixed_ips.map(({ subnet_id }) => subnet_id);
    return { id: router.id, tenant_id: router.tenant_id, port_id: id, network_id, subnet_id: subnets[0] ?? "", subnet_ids: subnets };
  }

  #gateway(routerId: string, wanted: Json, requester: Requester): ExternalGateway | null {
    this.#refuseBadGateway(wanted);
    if (!isObject(wanted) || typeof wanted.network_id !== "string") return null;
    const ips = Array.isArray(wanted.external_fixed_ips) ? wanted.external_fixed_ips : undefined;
    // The gateway's port belongs to no project, so members cannot see it.
    const port = this.#port(routerId, "", wanted.network_id, GATEWAY, { ...requester, roles: ["admin"] }, ips);
    return { network_id: wanted.network_id, external_fixed_ips: port.fixed_ips, enable_snat: wanted.enable_snat !== false };
  }

  #refuseBadGateway(wanted: Json): void {
    if (!isObject(wanted) || typeof wanted.network_id !== "string") return;
    const network = this.#store.get("network", wanted.network_id);
    if (!network["router:external"]) throw badResource("router", `Network ${network.id} is not an external network`);
  }

  #dropGateway(router: Router): void {
    for (const port of this.#ports.ofDevice(router.id)) if (port.device_owner === GATEWAY) this.#ports.discard(port);
  }

  #port(device: string, project: string, network: string, owner: string, requester: Requester, ips: Json[] | undefined): Port {
    const values: JsonObject = { project_id: project, network_id: network, device_id: device, device_owner: owner, admin_state_up: true };
    const rest: JsonObject = {
      allowed_address_pairs: [],
      extra_dhcp_opts: [],
      "binding:vnic_type": "normal",
      port_security_enabled: false,
    };
    return this.#ports.create({ ...values, ...rest, ...(ips === undefined ? {} : { fixed_ips: ips }) }, requester);
  }

  #refuseInterfaceOfRoute({ id, routes }: Router, subnets: readonly string[]): void {
    const subnet = subnets.find((each) => routes.some(({ nexthop }) => within(this.#store.get("subnet", each).cidr, nexthop)));
    if (subnet === undefined) return;
    throw conflict(
      "RouterInterfaceInUseByRoute",
      `Router interface for subnet ${subnet} on router ${id} cannot be deleted, as it is required by one or more routes.`,
    );
  }

  #refuseUnreachable(router: Router, nexthop: string): void {
    const parsed = parseAddress(nexthop);
    // The real service searches for the stored route, does not find this spelling, and retries for 168 seconds.
    if (parsed !== undefined && formatAddress(parsed) !== nexthop)
      throw new ServiceError(500, "HTTPInternalServerError", "Request Failed: internal server error while processing your request.");
    const subnets = this.#ports
      .ofDevice(router.id)
      .flatMap(({ fixed_ips }) => fixed_ips.map(({ subnet_id }) => this.#store.get("subnet", subnet_id)));
    if (subnets.some(({ cidr }) => within(cidr, nexthop))) return;
    throw new ServiceError(400, "InvalidRoutes", `Invalid format for routes: ${nexthop}, the nexthop is not connected with router.`);
  }
}
