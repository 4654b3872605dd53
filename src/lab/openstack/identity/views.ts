import { microseconds, seconds } from "../world/time.js";
import type { CatalogEntry } from "./catalog.js";
import { type ApplicationCredential, DOMAIN, type Project, type Token } from "./directory.js";
import type { Identity } from "./identity.js";

/** Returns a token in the v3 format, without fields that its scope does not have. */
export function tokenV3(identity: Identity, token: Token, catalog: readonly CatalogEntry[] | undefined): object {
  const { methods, user, project, system, roles, credential } = token;
  const named = roles.map((name) => ({ id: identity.roleId(name), name }));
  const isScoped = project !== undefined || system;
  return {
    token: {
      methods,
      user: { domain: DOMAIN, id: user.id, name: user.name, password_expires_at: null },
      audit_ids: [token.auditId],
      expires_at: credential?.expiresAt === token.expiresAt ? microseconds(token.expiresAt).slice(0, -1) : microseconds(token.expiresAt),
      issued_at: microseconds(token.issuedAt),
      ...(project === undefined ? {} : { project: { domain: DOMAIN, id: project.id, name: project.name }, is_domain: false }),
      ...(system ? { system: { all: true } } : {}),
      ...(isScoped ? { roles: named } : {}),
      ...(isScoped && catalog !== undefined ? { catalog } : {}),
      ...(credential === undefined
        ? {}
        : { application_credential: { id: credential.id, name: credential.name, restricted: credential.unrestricted !== true } }),
    },
  };
}

/** Returns a token in the v2.0 format, with every field of the specification's table. */
export function tokenV2(identity: Identity, token: Token, catalog: readonly unknown[]): object {
  const { user, project, roles } = token;
  return {
    access: {
      token: {
        id: token.id,
        issued_at: microseconds(token.issuedAt),
        expires: seconds(token.expiresAt),
        ...(project === undefined ? {} : { tenant: tenant(project) }),
      },
      serviceCatalog: project === undefined ? [] : catalog,
      user: { id: user.id, name: user.name, username: user.name, roles: roles.map((name) => ({ name })), roles_links: [] },
      metadata: { is_admin: roles.includes("admin") ? 1 : 0, roles: roles.map((name) => identity.roleId(name)) },
    },
  };
}

export function tenant({ id, name, description, enabled }: Project): object {
  return { description, enabled, id, name };
}

export function projectV3({ id, name, description, enabled }: Project, base: string): object {
  const links = { self: `${base}/v3/projects/${id}` };
  return { id, name, domain_id: DOMAIN.id, description, enabled, parent_id: DOMAIN.id, is_domain: false, tags: [], options: {}, links };
}

/** Omits the secret, which only the reply to the create contains. */
export function credentialV3(identity: Identity, credential: ApplicationCredential, base: string): Record<string, unknown> {
  const { id, name, description, userId, projectId, expiresAt, unrestricted, roles } = credential;
  return {
    id,
    name,
    description,
    user_id: userId,
    project_id: projectId,
    system: null,
    expires_at: expiresAt === undefined ? null : microseconds(expiresAt).slice(0, -1),
    unrestricted,
    roles: roles.map((role) => ({
      id: identity.roleId(role),
      name: role,
      domain_id: null,
      description: null,
      options: { immutable: true },
    })),
    links: { self: `${base}/v3/application_credentials/${id}` },
  };
}
