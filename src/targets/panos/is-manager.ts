import type { Identity } from "../../plan/platform.js";

/** Whether the model is a manager of firewalls. */
export function isManager({ model }: Identity): boolean {
  return model !== undefined && /^(?:Panorama|M-\d)/i.test(model);
}
