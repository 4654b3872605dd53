import type { Json, JsonObject } from "../../../core/json/value.js";
import type { Caller } from "../access/caller.js";
import type { Reference, StoredObject } from "../world/stored-object.js";
import type { ContrailWorld } from "../world/world.js";

/** A reference as the request contains it. */
export interface DraftReference extends Reference {
  readonly attr: Json;
  /** Whether the request contained its uuid, not only its name. The message of the subnet check depends on this. */
  readonly byUuid: boolean;
}

/** An object before creation. Rules may complete its properties and references. */
export interface Draft {
  readonly type: string;
  readonly uuid: string;
  readonly fqName: readonly string[];
  readonly parent: StoredObject | undefined;
  readonly properties: JsonObject;
  readonly references: Map<string, readonly DraftReference[]>;
}

/** Changes of a request: only the fields in the document. A null property is removed. */
export interface ObjectChange {
  readonly properties: JsonObject;
  readonly references: Map<string, readonly DraftReference[]>;
}

/**
 * Rules of a type, which the controller applies in addition to storing objects. Errors are thrown as `ControllerError` before anything is
 * stored.
 */
export interface TypeRules {
  beforeCreate?(world: ContrailWorld, draft: Draft): void;
  afterCreate?(world: ContrailWorld, object: StoredObject, caller: Caller): void;
  beforeUpdate?(world: ContrailWorld, object: StoredObject, change: ObjectChange): void;
  afterUpdate?(world: ContrailWorld, object: StoredObject): void;
  beforeDelete?(world: ContrailWorld, object: StoredObject): void;
  afterDelete?(world: ContrailWorld, object: StoredObject): void;
  /** Whether the child is deleted with its parent. Other children block the deletion. */
  isDerivedChild?(child: StoredObject): boolean;
}
