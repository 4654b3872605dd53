import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import type { Caller } from "../access/caller.js";
import { ControllerError } from "./controller-error.js";
import type { StoredObject } from "./stored-object.js";
import { undashed } from "./uuid.js";

const DEFAULT_OWNER = "cloud-admin";

/** `id_perms` of a new object, without its uuid and times. Values that the client may choose are taken from `given`. */
export function newIdPerms(given: JsonObject | undefined): JsonObject {
  return {
    permissions: { owner: DEFAULT_OWNER, owner_access: 7, group: "cloud-admin-group", group_access: 7, other_access: 7 },
    uuid: null,
    enable: given?.enable ?? true,
    created: null,
    last_modified: null,
    description: given?.description ?? null,
    user_visible: given?.user_visible ?? true,
    creator: given?.creator ?? null,
  };
}

/** `perms2` of a new object. The owner is the parent's owner; a project that was created with a token owns itself. */
export function newPerms2(
  given: JsonObject | undefined,
  type: string,
  uuid: string | undefined,
  parent: StoredObject | undefined,
  caller: Caller,
): JsonObject {
  const parentOwner = parent === undefined ? undefined : textAt(objectAt(parent.properties, "perms2") ?? {}, "owner");
  const ownsItself = type === "project" && caller.authenticated && uuid !== undefined;
  const owner = ownsItself ? undashed(uuid) : (parentOwner ?? caller.projectId ?? DEFAULT_OWNER);
  return {
    owner: given?.owner ?? owner,
    owner_access: given?.owner_access ?? 7,
    global_access: given?.global_access ?? 0,
    share: given?.share ?? [],
  };
}

/** Merges a client's `id_perms`. Only description, enable and visibility may change. */
export function changeIdPerms(current: JsonObject, given: JsonObject): void {
  for (const key of ["enable", "description", "user_visible"]) {
    const value = given[key];
    if (value !== undefined) current[key] = value;
  }
}

const ACCESS = { R: 4, W: 2, X: 1 } as const;

/** Returns whether `perms2` allows a caller to read (R) or change (W) an object, or to refer to it and create children (X). */
export function mayAccess({ properties }: StoredObject, caller: Caller, kind: keyof typeof ACCESS): boolean {
  if (caller.admin) return true;
  const perms = objectAt(properties, "perms2") ?? {};
  const grants = (access: unknown): boolean => typeof access === "number" && (access & ACCESS[kind]) !== 0;
  if (grants(perms.global_access)) return true;
  if (caller.projectId === undefined) return false;
  if (textAt(perms, "owner") === caller.projectId && grants(perms.owner_access)) return true;
  return objectsAt(perms, "share").some((share) => sharedWith(textAt(share, "tenant"), caller) && grants(share.tenant_access));
}

/** Shares contain `tenant:<uuid>`, or only the id in old databases. */
function sharedWith(tenant: string | undefined, { projectId }: Caller): boolean {
  return tenant !== undefined && undashed(tenant.replace(/^tenant:/, "")) === projectId;
}

/** Throws 403 if the caller lacks access. */
export function requireAccess(object: StoredObject, caller: Caller, kind: keyof typeof ACCESS): void {
  if (!mayAccess(object, caller, kind)) throw new ControllerError(403, "Permission Denied");
}
