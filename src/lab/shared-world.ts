import { NeutronError } from "./contrail/neutron/neutron-error.js";
import { ControllerError } from "./contrail/world/controller-error.js";
import type { ContrailWorld } from "./contrail/world/world.js";
import type { WorldEvent } from "./openstack/world/events.js";
import type { JsonObject } from "./openstack/world/json.js";
import type { OpenstackWorld } from "./openstack/world/world.js";

/** Kinds of the network service that the controller's plugin also stores. */
const FOLLOWED = ["network", "subnet"] as const;
/** Fields that the plugin accepts in an update. The controller refuses or ignores other fields. */
const UPDATES = {
  network: ["name", "shared", "router:external", "admin_state_up", "mtu"],
  subnet: ["name", "enable_dhcp", "dns_nameservers", "host_routes"],
} as const;

type Followed = (typeof FOLLOWED)[number];

/**
 * Copies changes in the network service to the controller, with the same ids, like the monolithic plugin (docs/contributing/devices/contrail.md#joins).
 * Copies existing objects first, including projects by name. Returns a function that stops this.
 */
export function followNetworks(cloud: OpenstackWorld, controller: ContrailWorld): () => void {
  for (const { id, name } of cloud.identity.projects.values()) controller.neutron?.project(id, name);
  for (const kind of FOLLOWED) for (const object of cloud.network.all(kind)) carry(controller, kind, "create", object);
  return cloud.events.on((event) => {
    if (isFollowed(event)) carryWhatItTakes(controller, event.kind, event.action, event.object);
  });
}

function isFollowed(event: WorldEvent): event is WorldEvent & { readonly kind: Followed } {
  return FOLLOWED.some((kind) => kind === event.kind);
}

/**
 * An object that the controller refuses (for example, a gateway outside its subnet) exists only in the network service. The audit must find
 * it.
 */
function carryWhatItTakes(controller: ContrailWorld, kind: Followed, action: WorldEvent["action"], object: object): void {
  try {
    carry(controller, kind, action, object);
  } catch (error) {
    if (!(error instanceof NeutronError) && !(error instanceof ControllerError)) throw error;
  }
}

function carry({ neutron }: ContrailWorld, kind: Followed, action: WorldEvent["action"], object: object): void {
  if (neutron === undefined) return;
  const resource = kind === "network" ? neutron.networks : neutron.subnets;
  const document = { ...object } as JsonObject;
  const id = String(document.id);
  if (action === "delete") resource.delete(id);
  else if (action === "update")
    resource.update(id, Object.fromEntries(UPDATES[kind].flatMap((key) => (key in document ? [[key, document[key] ?? null]] : []))));
  else resource.create({ tenantId: String(document.tenant_id ?? document.project_id), admin: true }, document);
}
