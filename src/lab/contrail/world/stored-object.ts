import type { Json, JsonObject } from "../../../core/json/value.js";

/** A reference to another object; `attr` is null where the kind of reference has none. */
export interface Reference {
  readonly type: string;
  readonly uuid: string;
  readonly attr: Json;
}

/** A configuration object. Names of references and the addresses of everything are made when it is rendered. */
export interface StoredObject {
  /** As in paths: `virtual-network`. */
  readonly type: string;
  readonly uuid: string;
  readonly fqName: readonly string[];
  readonly parent: { readonly type: string; readonly uuid: string | undefined } | undefined;
  readonly properties: JsonObject;
  /** By field: `network_ipam_refs`. No field is empty. */
  readonly references: Map<string, readonly Reference[]>;
}

export function nameOf({ fqName }: Pick<StoredObject, "fqName">): string {
  return fqName.at(-1) ?? "";
}

/** The name as lists and markers write it: `default-domain:demo:net`. */
export function joinedName(fqName: readonly string[]): string {
  return fqName.join(":");
}
