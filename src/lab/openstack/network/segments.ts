import type { Json } from "../world/json.js";
import { conflict, invalidInput } from "./errors.js";

/** The segment of a network. */
export interface Segment {
  readonly type: string;
  readonly physicalNetwork: string | null;
  readonly id: number | null;
}

const TYPES = ["local", "flat", "vlan", "vxlan"];
const FIRST_TUNNEL = 1;
const VLANS = { first: 1000, last: 1999 };
const PHYSICAL = ["public", "physnet1"];

/** Segments in use. Networks get vxlan unless the request contains another type. */
export class Segments {
  readonly #taken = new Set<string>();
  readonly #lastTunnel: number;
  #nextTunnel = FIRST_TUNNEL;

  constructor(lastTunnel: number) {
    this.#lastTunnel = lastTunnel;
  }

  take(type: Json = null, physical: Json = null, id: Json = null): Segment {
    const kind = typeof type === "string" ? type : "vxlan";
    if (!TYPES.includes(kind)) throw invalidInput(`network_type value '${kind}' not supported`);
    const onPhysical = kind === "flat" || kind === "vlan";
    if (!onPhysical && physical !== null) throw invalidInput(`provider:physical_network specified for ${kind} network`);
    if (kind === "flat" && physical === null) throw invalidInput("physical_network required for flat provider network");
    if (physical !== null && !PHYSICAL.includes(String(physical))) {
      throw invalidInput(`physical_network '${physical}' unknown for ${kind === "vlan" ? "VLAN" : "flat"} provider network`);
    }
    if ((kind === "local" || kind === "flat") && id !== null) throw invalidInput(`provider:segmentation_id specified for ${kind} network`);
    if (kind === "vlan" && id !== null && (Number(id) < 1 || Number(id) > 4094)) {
      throw invalidInput("segmentation_id out of range (1 through 4094)");
    }
    const segment = this.#choose(kind, onPhysical ? String(physical ?? "physnet1") : null, typeof id === "number" ? id : null);
    this.#taken.add(key(segment.type, segment.physicalNetwork, segment.id));
    return segment;
  }

  release(type: string, physical: string | null, id: number | null): void {
    this.#taken.delete(key(type, physical, id));
    if (type === "vxlan" && id !== null) this.#nextTunnel = Math.min(this.#nextTunnel, Math.max(id, FIRST_TUNNEL));
  }

  #choose(type: string, physicalNetwork: string | null, wanted: number | null): Segment {
    if (type === "local") return { type, physicalNetwork: null, id: null };
    if (type === "flat" || wanted !== null) {
      if (this.#taken.has(key(type, physicalNetwork, wanted))) throw inUse(type, physicalNetwork, wanted);
      return { type, physicalNetwork, id: wanted };
    }
    const { first, last } = type === "vlan" ? VLANS : { first: this.#nextTunnel, last: this.#lastTunnel };
    for (let id = first; id <= last; id++) {
      if (this.#taken.has(key(type, physicalNetwork, id))) continue;
      if (type === "vxlan") this.#nextTunnel = id;
      return { type, physicalNetwork, id };
    }
    throw conflict("NoNetworkAvailable", "Unable to create the network. No tenant network is available for allocation.");
  }
}

function key(type: string, physical: string | null, id: number | null): string {
  return `${type} ${physical} ${id}`;
}

function inUse(type: string, physical: string | null, id: number | null): Error {
  const failed = "Unable to create the";
  if (type === "vlan") return conflict("VlanIdInUse", `${failed} network. The VLAN ${id} on physical network ${physical} is in use.`);
  if (type === "vxlan") return conflict("TunnelIdInUse", `${failed} network. The tunnel ID ${id} is in use.`);
  return conflict("FlatNetworkInUse", `${failed} flat network. Physical network ${physical} is in use.`);
}
