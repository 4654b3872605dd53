import type { TreeNode } from "../../../core/tree/node.js";

/** Permissions of an administrator. */
interface Role {
  readonly kind: "superuser" | "superreader" | "custom";
  /** Values of `type` that are refused with 403. */
  readonly deniedTypes?: readonly string[];
  /** XPath prefixes that read as empty for this administrator. */
  readonly hidden?: readonly string[];
}

export interface Administrator {
  readonly name: string;
  readonly password: string;
  readonly role: Role;
}

const SUPERUSER: Role = { kind: "superuser" };

/**
 * Accounts of one device. `admin` with password `admin` always exists. For an account from the configuration, the password equals the
 * name.
 */
export class Administrators {
  readonly #byName = new Map<string, Administrator>([["admin", { name: "admin", password: "admin", role: SUPERUSER }]]);

  constructor(config: TreeNode, more: readonly Administrator[]) {
    for (const entry of usersOf(config)) this.add({ name: entry.name ?? "", password: entry.name ?? "", role: roleOf(entry) });
    for (const administrator of more) this.add(administrator);
  }

  add(administrator: Administrator): void {
    this.#byName.set(administrator.name, administrator);
  }

  remove(name: string): void {
    this.#byName.delete(name);
  }

  get(name: string): Administrator | undefined {
    return this.#byName.get(name);
  }

  all(): Administrator[] {
    return [...this.#byName.values()];
  }
}

function usersOf(config: TreeNode): readonly TreeNode[] {
  const users = config.children.find((child) => child.tag === "mgt-config")?.children.find((child) => child.tag === "users");
  return users?.children.filter((child) => child.name !== undefined) ?? [];
}

function roleOf(user: TreeNode): Role {
  const role = user.children.find((child) => child.tag === "permissions")?.children.find((child) => child.tag === "role-based");
  const kind = role?.children[0]?.tag;
  if (kind === "superreader") return { kind: "superreader", deniedTypes: ["commit", "import", "user-id"] };
  return kind === "custom" ? { kind: "custom" } : SUPERUSER;
}
