import { type JsonObject, objectAt, texts } from "../../../core/json/value.js";
import { badRequest, ControllerError, internalError } from "../world/controller-error.js";
import { nameOf } from "../world/stored-object.js";
import type { ContrailWorld } from "../world/world.js";
import { entriesOf, settleNetworkSubnets } from "./addresses/network-subnets.js";
import type { DraftReference, TypeRules } from "./type-rules.js";

const LISTS = ["route_target_list", "import_route_target_list", "export_route_target_list"];

const GLOBAL_ASN = "64512";

/** Numbers that the controller assigns automatically, with its own AS number. */
const [AUTOMATIC_FIRST, AUTOMATIC_LAST] = [8000000, 16777216];

const DERIVED = new Set(["routing-instance", "access-control-list"]);

/** Rules of virtual networks: number, routing instance, sharing, route targets and subnets. */
export const virtualNetworkRules: TypeRules = {
  beforeCreate(world, { fqName, properties, references }) {
    checkRouteTargets(properties);
    const subnets = references.get("network_ipam_refs") ?? [];
    settleNetworkSubnets(world, fqName, subnets, undefined);
    settleFlatIpams(world, subnets, properties);
    properties.is_shared ??= false;
    if (properties.is_shared === true) (properties.perms2 as JsonObject).global_access = 7;
    properties.virtual_network_network_id = world.nextNetworkId();
  },
  afterCreate(world, object, caller) {
    const name = nameOf(object);
    const modified = (object.properties.id_perms as JsonObject).last_modified ?? null;
    world.create("routing-instance", { fq_name: [...object.fqName, name], parent_type: "virtual-network" }, caller);
    // The controller creates the routing instance with the network, so the network's modification time does not change.
    (object.properties.id_perms as JsonObject).last_modified = modified;
    world.neutron?.networkChanged(object);
  },
  beforeUpdate(world, object, { properties, references }) {
    const id = properties.virtual_network_network_id;
    if (id !== undefined && id !== object.properties.virtual_network_network_id) {
      throw new ControllerError(403, "Cannot update the virtual network ID");
    }
    checkRouteTargets(properties);
    const subnets = references.get("network_ipam_refs");
    if (subnets !== undefined) {
      settleNetworkSubnets(world, object.fqName, subnets, object);
      settleFlatIpams(world, subnets, { ...object.properties, ...properties });
    }
    if (typeof properties.is_shared === "boolean") {
      const perms2 = (objectAt(properties, "perms2") ?? object.properties.perms2) as JsonObject;
      properties.perms2 = { ...perms2, global_access: properties.is_shared ? 7 : 0 };
    } else {
      const access = objectAt(properties, "perms2")?.global_access;
      if (typeof access === "number") properties.is_shared = access > 0;
    }
  },
  afterUpdate(world, object) {
    world.neutron?.networkChanged(object);
  },
  afterDelete(world, object) {
    world.neutron?.networkDeleted(object);
  },
  isDerivedChild: ({ type }) => DERIVED.has(type),
};

/** A network on a flat IPAM has no subnet of its own, only an id for the IPAM's subnets. */
function settleFlatIpams(world: ContrailWorld, references: readonly DraftReference[], network: JsonObject): void {
  for (const { uuid, attr } of references) {
    if (world.store.get(uuid)?.properties.ipam_subnet_method !== "flat-subnet") continue;
    if (objectAt(network, "virtual_network_properties")?.forwarding_mode !== "l3") {
      throw badRequest("flat-subnet is allowed only with l3 network");
    }
    const entries = entriesOf(attr);
    if (entries.length === 0) (attr as JsonObject).ipam_subnets = [{ subnet_uuid: world.newUuid() }];
    else for (const entry of entries) entry.subnet_uuid ??= world.newUuid();
  }
}

/** Refuses malformed route targets, and targets from the controller's automatic range. */
function checkRouteTargets(properties: JsonObject): void {
  for (const name of LISTS) {
    for (const target of texts(objectAt(properties, name)?.route_target) ?? []) {
      const [keyword, asn, number, ...rest] = target.split(":");
      if (keyword !== "target" || asn === undefined || number === undefined || rest.length > 0) {
        throw internalError("Unsupported response type: <class 'int'>");
      }
      if (asn === GLOBAL_ASN && Number(number) >= AUTOMATIC_FIRST && Number(number) <= AUTOMATIC_LAST) {
        throw badRequest(
          "Configured route target must use ASN that is different from global ASN or route target value must be less than " +
            `${AUTOMATIC_FIRST} and greater than ${AUTOMATIC_LAST}`,
        );
      }
    }
  }
}
