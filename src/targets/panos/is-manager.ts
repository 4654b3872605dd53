import type { Identity } from "../../plan/platform.js";

/** By its model: a box that manages firewalls. */
export function isManager({ model }: Identity): boolean {
  return model !== undefined && /^(?:Panorama|M-\d)/i.test(model);
}
