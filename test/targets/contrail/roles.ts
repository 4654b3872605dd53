import { tokens } from "./fixtures.js";
import { ControllerWorld } from "./world.js";

/** Permissions with which an object belongs to another project and is hidden from this one. */
export const OTHERS = { perms2: { owner: "0123456789abcdef0123456789abcdef", owner_access: 7, global_access: 0, share: [] } };

/** A controller with access rules, and us as a member of project `demo`. */
export async function withRoles(): Promise<{ world: ControllerWorld; projectId: () => string }> {
  let world: ControllerWorld | undefined;
  const projectId = (): string => world?.object("project", "default-domain:demo")?.uuid ?? "";
  world = await ControllerWorld.start({
    aaaMode: "rbac",
    tokens: tokens(),
    checkToken: (token) => (token.startsWith("token-") ? { user: "plumbline", roles: ["member"], projectId: projectId() } : undefined),
  });
  const list = world.object("api-access-list", "default-global-system-config:default-api-access-list");
  world.lab.world.update("api-access-list", list?.uuid ?? "", {
    api_access_list_entries: { rbac_rule: [{ rule_object: "*", rule_field: "", rule_perms: [{ role_name: "*", role_crud: "CRUD" }] }] },
  });
  const open = { owner: projectId().replaceAll("-", ""), owner_access: 7, global_access: 0, share: [] };
  world.lab.world.update("project", projectId(), { perms2: open });
  return { world, projectId };
}
