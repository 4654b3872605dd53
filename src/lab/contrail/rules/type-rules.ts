import type { Json, JsonObject } from "../../../core/json/value.js";
import type { Caller } from "../access/caller.js";
import type { Reference, StoredObject } from "../world/stored-object.js";
import type { ContrailWorld } from "../world/world.js";

/** A reference as a request gives it. */
export interface DraftReference extends Reference {
  readonly attr: Json;
  /** Whether the request named its uuid, not only its name. The subnet check words its refusal by that. */
  readonly byUuid: boolean;
}

/** An object about to be made. Rules may settle its properties and references. */
export interface Draft {
  readonly type: string;
  readonly uuid: string;
  readonly fqName: readonly string[];
  readonly parent: StoredObject | undefined;
  readonly properties: JsonObject;
  readonly references: Map<string, readonly DraftReference[]>;
}

/** What a request changes: only the fields that it names. A null property is removed. */
export interface ObjectChange {
  readonly properties: JsonObject;
  readonly references: Map<string, readonly DraftReference[]>;
}

/** What the controller does beyond storing an object of a type. Refusals are thrown as `ControllerError` before anything is stored. */
export interface TypeRules {
  beforeCreate?(world: ContrailWorld, draft: Draft): void;
  afterCreate?(world: ContrailWorld, object: StoredObject, caller: Caller): void;
  beforeUpdate?(world: ContrailWorld, object: StoredObject, change: ObjectChange): void;
  afterUpdate?(world: ContrailWorld, object: StoredObject): void;
  beforeDelete?(world: ContrailWorld, object: StoredObject): void;
  afterDelete?(world: ContrailWorld, object: StoredObject): void;
  /** Children that go with their parent instead of keeping it. */
  isDerivedChild?(child: StoredObject): boolean;
}
