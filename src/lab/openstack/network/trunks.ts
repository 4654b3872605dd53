import { isObject, type Json, type JsonObject } from "../world/json.js";
import { ServiceError } from "../world/service-error.js";
import { type Attributes, adminState, STANDARD } from "./attributes.js";
import { integer, UUID, uuid } from "./checks.js";
import { conflict, invalidAttribute, invalidInput } from "./errors.js";
import { asJson, type Manager } from "./manager.js";
import type { Port } from "./port.js";
import type { Standard } from "./standard-attributes.js";
import type { NetworkStore } from "./store.js";

/** A port that carries the traffic of other ports of the same server, each in its own VLAN. */
export interface Trunk extends Standard {
  admin_state_up: boolean;
  readonly port_id: string;
  readonly status: "DOWN";
  sub_ports: Subport[];
}

interface Subport {
  readonly port_id: string;
  readonly segmentation_type: string;
  readonly segmentation_id: number;
}

const ATTRIBUTES: Attributes = {
  ...STANDARD,
  admin_state_up: adminState,
  port_id: { check: uuid, post: true, required: true },
  status: {},
  sub_ports: {
    check: (value, name) => {
      const wrong = wrongIn(value);
      if (wrong !== undefined) throw invalidAttribute(name, wrong);
      return value;
    },
    post: true,
    fallback: [],
  },
};

const UNSEGMENTED = "Invalid subport details: missing segmentation information. Must specify both segmentation_id and segmentation_type";

export class Trunks implements Manager<"trunk"> {
  readonly kind = "trunk";
  readonly plural = "trunks";
  readonly attributes = ATTRIBUTES;
  readonly #store: NetworkStore;

  constructor(store: NetworkStore) {
    this.#store = store;
  }

  create(values: JsonObject): Trunk {
    this.#store.quotas.demand("trunk", String(values.project_id));
    const parent = String(values.port_id);
    this.#demandUnused(parent);
    const port = this.#store.get("port", parent);
    if (isBound(port)) throw parentInUse(parent);
    const sub_ports = this.#checked(values.sub_ports as unknown as JsonObject[], parent);
    const standard = this.#store.standard(values, 0);
    const own = { admin_state_up: values.admin_state_up === true, port_id: parent, status: "DOWN", sub_ports } as const;
    return this.#store.add("trunk", { ...standard, ...own, sub_ports });
  }

  update(trunk: Trunk, values: JsonObject): void {
    this.#store.change("trunk", trunk, values as Partial<Trunk>);
  }

  remove(trunk: Trunk): void {
    demandUp(trunk);
    const parent = this.#store.objects.port.get(trunk.port_id);
    if (parent !== undefined && isBound(parent)) throw conflict("TrunkInUse", `Trunk ${trunk.id} is currently in use.`);
    this.#store.remove("trunk", trunk);
  }

  addSubports(trunk: Trunk, given: Json | undefined): void {
    const added = this.#checked(rowsIn(given), trunk.port_id);
    demandUp(trunk);
    const taken = added.find((each) => trunk.sub_ports.some(({ segmentation_id }) => segmentation_id === each.segmentation_id));
    if (taken !== undefined) {
      const words = `segmentation_type ${taken.segmentation_type} and segmentation_id ${taken.segmentation_id} already in use on trunk ${trunk.id}.`;
      throw conflict("DuplicateSubPort", words);
    }
    this.#store.change("trunk", trunk, { sub_ports: [...trunk.sub_ports, ...added] });
  }

  removeSubports(trunk: Trunk, given: Json | undefined): void {
    demandUp(trunk);
    const removed = rowsIn(given).map((each) => String(each.port_id));
    const missing = removed.find((id) => trunk.sub_ports.every(({ port_id }) => port_id !== id));
    if (missing !== undefined)
      throw new ServiceError(404, "SubPortNotFound", `SubPort ${missing} on trunk ${trunk.id} could not be found.`);
    this.#store.change("trunk", trunk, { sub_ports: trunk.sub_ports.filter(({ port_id }) => !removed.includes(port_id)) });
  }

  shared(): boolean {
    return false;
  }

  show(trunk: Trunk): JsonObject {
    return asJson(trunk);
  }

  #checked(given: readonly JsonObject[], parent: string): Subport[] {
    return given.map((each) => {
      const port_id = String(each.port_id);
      if (port_id === parent) throw parentInUse(port_id);
      this.#demandMtu(port_id, parent);
      const { segmentation_type, segmentation_id } = each;
      if (segmentation_type === undefined || segmentation_id === undefined) {
        throw invalidInput(UNSEGMENTED);
      }
      const id = Number(integer(segmentation_id, "segmentation_id"));
      if (segmentation_type !== "vlan") throw invalidInput(`Unknown segmentation_type '${String(segmentation_type)}'`);
      if (id < 1 || id > 4094) throw invalidInput(`Segmentation ID '${id}' is not in range`);
      this.#demandUnused(port_id);
      const { device_id, network_id } = this.#store.get("port", port_id);
      if (device_id !== "") {
        const words = `Unable to complete operation on port ${port_id} for network ${network_id}. Port already has an attached device ${device_id}.`;
        throw conflict("PortInUse", words);
      }
      return { port_id, segmentation_type, segmentation_id: id };
    });
  }

  #demandUnused(port: string): void {
    const trunks = [...this.#store.objects.trunk.values()];
    if (trunks.some(({ sub_ports }) => sub_ports.some(({ port_id }) => port_id === port)))
      throw conflict("TrunkPortInUse", `Port ${port} is in use by another trunk.`);
    if (trunks.some(({ port_id }) => port_id === port)) throw parentInUse(port);
  }

  #demandMtu(port: string, parent: string): void {
    const mtuOf = (id: string): number => {
      const network = this.#store.objects.port.get(id)?.network_id;
      return (network === undefined ? undefined : this.#store.objects.network.get(network)?.mtu) ?? 0;
    };
    const [own, most] = [mtuOf(port), mtuOf(parent)];
    if (most === 0 || own <= most) return;
    const words = `MTU ${own} of subport ${port} cannot be greater than MTU ${most} of trunk ${parent}.`;
    throw conflict("SubPortMtuGreaterThanTrunkPortMtu", words);
  }
}

/** @throws ServiceError if a trunk uses the port */
export function demandNoTrunk({ objects }: NetworkStore, { id }: Port): void {
  for (const trunk of objects.trunk.values()) {
    if (trunk.sub_ports.some(({ port_id }) => port_id === id))
      throw conflict("PortInUseAsSubPort", `Port ${id} is currently a subport for trunk ${trunk.id}.`);
    if (trunk.port_id === id) throw conflict("PortInUseAsTrunkParent", `Port ${id} is currently a parent port for trunk ${trunk.id}.`);
  }
}

/** Returns the details that the parent port of a trunk shows. Other ports have no details. */
export function trunkDetails({ objects }: NetworkStore, { id }: Port): JsonObject {
  const trunk = [...objects.trunk.values()].find(({ port_id }) => port_id === id);
  if (trunk === undefined) return {};
  const sub_ports = trunk.sub_ports.map((each) => ({ ...each, mac_address: objects.port.get(each.port_id)?.mac_address ?? "" }));
  return { trunk_details: { trunk_id: trunk.id, sub_ports } };
}

function isBound(port: Port): boolean {
  return port["binding:host_id"] !== "";
}

function parentInUse(port: string): ServiceError {
  return conflict("ParentPortInUse", `Port ${port} is currently in use and is not eligible for use as a parent port.`);
}

function demandUp({ id, admin_state_up }: Trunk): void {
  if (!admin_state_up) throw conflict("TrunkDisabled", `Trunk ${id} is currently disabled.`);
}

function rowsIn(given: Json | undefined): JsonObject[] {
  const wrong = wrongIn(given ?? null);
  if (wrong !== undefined) throw invalidInput(wrong);
  return given as unknown as JsonObject[];
}

/** Returns the service's message for invalid subports, or undefined. */
function wrongIn(value: Json): string | undefined {
  if (!Array.isArray(value)) return `Invalid data format for subports: '${String(value)}' is not a list`;
  const ports = new Set<unknown>();
  const segments = new Set<string>();
  for (const each of value) {
    if (!isObject(each)) return `Invalid data format for subport: '${String(each)}' is not a dict`;
    if (each.port_id === undefined) return "A valid port UUID must be specified";
    if (typeof each.port_id !== "string" || !UUID.test(each.port_id)) return `Invalid UUID for subport: '${String(each.port_id)}'`;
    if (ports.has(each.port_id)) return `Non unique UUID for subport: '${String(each.port_id)}'`;
    ports.add(each.port_id);
    const isComplete = each.segmentation_type !== undefined && each.segmentation_id !== undefined;
    if (!isComplete && Object.keys(each).length > 1) {
      return UNSEGMENTED;
    }
    const segment = `${String(each.segmentation_type)} ${String(each.segmentation_id)}`;
    if (isComplete && segments.has(segment))
      return `Segmentation ID '${String(each.segmentation_id)}' for '${String(each.port_id)}' is not unique`;
    segments.add(segment);
  }
  return undefined;
}
