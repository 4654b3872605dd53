import type { Drafts } from "../../../access/designer.js";
import type { Site } from "./site.js";

export function closingDrafts(_site: Site): Drafts {
  return { drafts: [], obstacles: [] };
}
