import { type JsonObject, objectAt, objectsAt, textAt } from "../../../core/json/value.js";
import { pythonText } from "../json/python.js";
import { ControllerError } from "../world/controller-error.js";
import type { StoredObject } from "../world/stored-object.js";
import { dashed } from "../world/uuid.js";
import type { ContrailWorld } from "../world/world.js";
import type { Caller } from "./caller.js";

export type Operation = "C" | "R" | "U" | "D";

/** The letter of an HTTP method in access lists. */
export function operationOf(method: string): Operation {
  return method === "POST" ? "C" : method === "PUT" ? "U" : method === "DELETE" ? "D" : "R";
}

/**
 * Refuses (403) a request that no rule of the global, the domain's and the project's access lists allows. `object` is a type or an action.
 */
export function checkAccessLists(world: ContrailWorld, caller: Caller, operation: Operation, object: string): void {
  if (caller.admin || rulesFor(world, caller).some((rule) => allows(rule, caller, operation, object))) return;
  const who = `${caller.user} as ${pythonText([...caller.roles])}`;
  throw new ControllerError(403, `Permission Denied for ${who} to ${operation} ${object} in ${caller.projectName ?? "None"}`);
}

function rulesFor(world: ContrailWorld, { projectId }: Caller): JsonObject[] {
  const project = projectId === undefined ? undefined : world.store.get(dashed(projectId));
  const domain = project?.parent?.uuid === undefined ? undefined : world.store.get(project.parent.uuid);
  const global = world.store.named("global-system-config", ["default-global-system-config"]);
  return [global, domain, project].flatMap((holder) => (holder === undefined ? [] : listsOf(world, holder)));
}

function listsOf(world: ContrailWorld, holder: StoredObject): JsonObject[] {
  return [...(world.store.childrenOf(holder.uuid).get("api-access-list") ?? [])].flatMap(({ properties }) =>
    objectsAt(objectAt(properties, "api_access_list_entries") ?? {}, "rbac_rule"),
  );
}

function allows(rule: JsonObject, { roles }: Caller, operation: Operation, object: string): boolean {
  const named = textAt(rule, "rule_object");
  if (named !== "*" && named !== object) return false;
  return objectsAt(rule, "rule_perms").some((permission) => {
    const role = textAt(permission, "role_name");
    return (role === "*" || (role !== undefined && roles.includes(role))) && textAt(permission, "role_crud")?.includes(operation) === true;
  });
}
