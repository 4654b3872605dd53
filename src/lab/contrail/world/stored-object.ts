import type { Json, JsonObject } from "../../../core/json/value.js";

/** A reference to another object. `attr` is null for references without an attribute. */
export interface Reference {
  readonly type: string;
  readonly uuid: string;
  readonly attr: Json;
}

/** A configuration object. Rendering adds names of references and URLs. */
export interface StoredObject {
  /** As in paths: `virtual-network`. */
  readonly type: string;
  readonly uuid: string;
  readonly fqName: readonly string[];
  readonly parent: { readonly type: string; readonly uuid: string | undefined } | undefined;
  readonly properties: JsonObject;
  /** By field: `network_ipam_refs`. No list is empty. */
  readonly references: Map<string, readonly Reference[]>;
}

export function nameOf({ fqName }: Pick<StoredObject, "fqName">): string {
  return fqName.at(-1) ?? "";
}

/** Returns the name as lists and markers write it: `default-domain:demo:net`. */
export function joinedName(fqName: readonly string[]): string {
  return fqName.join(":");
}
