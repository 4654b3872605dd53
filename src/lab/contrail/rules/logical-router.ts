import { type JsonObject, objectAt } from "../../../core/json/value.js";
import { badRequest, internalError } from "../world/controller-error.js";
import { nameOf, type Reference, type StoredObject } from "../world/stored-object.js";
import type { ContrailWorld } from "../world/world.js";
import type { DraftReference, TypeRules } from "./type-rules.js";

const PORTS = "virtual_machine_interface_refs";
const NETWORKS = "virtual_network_refs";

/** Routers: their type is fixed, their neighbours are checked by uuid, and a VXLAN router has an internal network. */
export const logicalRouterRules: TypeRules = {
  beforeCreate(world, { properties, references }) {
    checkNeighbours(world, references.get(PORTS), references.get(NETWORKS));
    properties.logical_router_type ??= "snat-routing";
  },
  afterCreate(world, object) {
    if (object.properties.logical_router_type !== "vxlan-routing") return;
    const inner = world.create("virtual-network", {
      fq_name: innerName(object),
      parent_type: "project",
      display_name: `LR::${nameOf(object)}`,
      id_perms: { enable: true, user_visible: false },
      virtual_network_properties: innerProperties(object),
      route_target_list: object.properties.configured_route_target_list ?? null,
    });
    const attr = { logical_router_virtual_network_type: "InternalVirtualNetwork" };
    world.updateReference({ type: object.type, uuid: object.uuid, referenceType: inner.type, ...at(inner), operation: "ADD", attr });
  },
  beforeUpdate(world, object, { properties, references }) {
    const { properties: before, references: now } = object;
    const [ports, networks] = [references.get(PORTS), references.get(NETWORKS)];
    const known = (list: readonly Reference[] | undefined) => list?.map((each): DraftReference => ({ ...each, byUuid: true }));
    if (ports !== undefined || networks !== undefined)
      checkNeighbours(world, ports ?? known(now.get(PORTS)), networks ?? known(now.get(NETWORKS)));
    const type = properties.logical_router_type;
    if (type !== undefined && type !== before.logical_router_type)
      throw badRequest("Cannot update logical_router_type for a Logical Router");
    passOn(world, object, properties);
  },
  beforeDelete(world, object) {
    const inner = world.store.named("virtual-network", innerName(object));
    if (inner === undefined) return;
    world.updateReference({
      type: object.type,
      uuid: object.uuid,
      referenceType: inner.type,
      ...at(inner),
      operation: "DELETE",
      attr: null,
    });
    world.delete(inner.type, inner.uuid);
  },
};

/** Passes changes on to the internal network. An update with only the number removes its route targets, as on the controller. */
function passOn(
  world: ContrailWorld,
  object: StoredObject,
  { configured_route_target_list: targets = null, ...properties }: JsonObject,
): void {
  const inner = world.store.named("virtual-network", innerName(object));
  if (inner === undefined || (targets === null && !("vxlan_network_identifier" in properties))) return;
  const known = objectAt(inner.properties, "virtual_network_properties");
  world.update(inner.type, inner.uuid, {
    route_target_list: targets,
    virtual_network_properties: { ...known, ...innerProperties({ ...object, properties }) },
  });
}

function at({ uuid }: StoredObject) {
  return { referenceUuid: uuid, referenceName: undefined };
}

function innerName({ fqName, uuid }: StoredObject): string[] {
  return [...fqName.slice(0, -1), `__contrail_lr_internal_vn_${uuid}__`];
}

function innerProperties({ properties }: StoredObject): JsonObject {
  const id = properties.vxlan_network_identifier;
  return { forwarding_mode: "l3", ...(id === undefined ? {} : { vxlan_network_identifier: Number(id) }) };
}

/** References without a uuid fail, as on the controller, but only if the router has a port to compare the networks with. */
function checkNeighbours(world: ContrailWorld, ports: readonly DraftReference[] = [], networks: readonly DraftReference[] = []): void {
  if (ports.length === 0) return;
  if ([...ports, ...networks].some(({ byUuid }) => !byUuid)) throw internalError("KeyError: 'uuid'");
  const inside = new Set(ports.flatMap(({ uuid }) => world.store.get(uuid)?.references.get(NETWORKS)?.[0]?.uuid ?? []));
  const both = networks.find(({ uuid }) => inside.has(uuid));
  if (both !== undefined) throw badRequest(`Logical router interface and gateway cannot be inVN(${both.uuid})`);
}
