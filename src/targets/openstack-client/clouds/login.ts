import { PlumblineError } from "../../../core/errors.js";
import type { SecretValue, TextOrSecret } from "../../../core/secret.js";
import { type RawCloud, type RawCloudSettings, secretOf, textOf, whoOf } from "./cloud-settings.js";

/** A domain by id, if known, otherwise by name. */
export interface DomainRef {
  readonly id?: TextOrSecret | undefined;
  readonly name?: TextOrSecret | undefined;
}

/** A user by id, or by name in a domain. */
export interface UserRef {
  readonly id?: TextOrSecret | undefined;
  readonly name?: TextOrSecret | undefined;
  readonly domain: DomainRef;
}

export type ProjectRef = UserRef;

/** Authentication method of an account, with the requested project. */
export type Login =
  | { readonly by: "none" }
  | { readonly by: "password"; readonly user: UserRef; readonly password: SecretValue; readonly project: ProjectRef | undefined }
  | {
      readonly by: "application-credential";
      readonly id?: TextOrSecret | undefined;
      readonly name?: TextOrSecret | undefined;
      /** Required with a name, not with an id. */
      readonly user?: UserRef | undefined;
      readonly secret: SecretValue;
    }
  | { readonly by: "token"; readonly token: SecretValue; readonly project: ProjectRef | undefined };

const KINDS: ReadonlyMap<string, Login["by"]> = new Map([
  ["password", "password"],
  ["v3password", "password"],
  ["v2password", "password"],
  ["v3applicationcredential", "application-credential"],
  ["token", "token"],
  ["v3token", "token"],
  ["v2token", "token"],
  ["none", "none"],
  ["noauth", "none"],
]);

/**
 * Reads the login settings of a cloud. `auth_type` is optional.
 * @throws PlumblineError `auth-type-not-supported`, `cloud-incomplete`
 */
export function readLogin(cloud: RawCloud, target: string): Login {
  const { settings } = cloud;
  switch (kindOf(cloud, target)) {
    case "none":
      return { by: "none" };
    case "token":
      return {
        by: "token",
        token: secretOf(settings, "token") ?? lacks("a token (token, OS_TOKEN)", cloud, target),
        project: projectOf(settings),
      };
    case "application-credential": {
      const [id, name] = [whoOf(settings, "application_credential_id"), whoOf(settings, "application_credential_name")];
      if (id === undefined && name === undefined) lacks("application_credential_id, or application_credential_name", cloud, target);
      const user = id === undefined ? userOf(cloud, target) : undefined;
      const secret = secretOf(settings, "application_credential_secret") ?? lacks("application_credential_secret", cloud, target);
      return { by: "application-credential", id, name, user, secret };
    }
    case "password": {
      const password = secretOf(settings, "password") ?? lacks("a password (password, OS_PASSWORD)", cloud, target);
      return { by: "password", user: userOf(cloud, target), password, project: projectOf(settings) };
    }
  }
}

function kindOf({ settings, source }: RawCloud, target: string): Login["by"] {
  const type = textOf(settings, "auth_type");
  const kind = type === undefined ? undefined : KINDS.get(type);
  if (kind !== undefined) {
    // OpenStack's own tools accept a token together with a password plugin.
    return kind === "password" && !settings.has("password") && settings.has("token") ? "token" : kind;
  }
  if (type !== undefined)
    throw new PlumblineError("auth-type-not-supported", `${source} uses auth_type "${type}"`, {
      where: { target },
      next: `Use one of: ${[...KINDS.keys()].join(", ")}.`,
    });
  if (settings.has("application_credential_id") || settings.has("application_credential_name")) return "application-credential";
  return settings.has("token") && !settings.has("password") ? "token" : "password";
}

function userOf(cloud: RawCloud, target: string): UserRef {
  const { settings } = cloud;
  const [id, name] = [whoOf(settings, "user_id"), whoOf(settings, "username")];
  if (id === undefined && name === undefined) lacks("a user (username or user_id)", cloud, target);
  return { id, name, domain: domainOf(settings, "user_domain") };
}

function projectOf(settings: RawCloudSettings): ProjectRef | undefined {
  const [id, name] = [textOf(settings, "project_id"), textOf(settings, "project_name")];
  return id === undefined && name === undefined ? undefined : { id, name, domain: domainOf(settings, "project_domain") };
}

/** Returns the configured domain. Default: the domain `default`. */
function domainOf(settings: RawCloudSettings, key: "user_domain" | "project_domain"): DomainRef {
  for (const prefix of [key, "domain", "default_domain"]) {
    const [id, name] = [whoOf(settings, `${prefix}_id`), whoOf(settings, `${prefix}_name`)];
    if (id !== undefined) return { id };
    if (name !== undefined) return { name };
  }
  return { id: "default" };
}

function lacks(what: string, { source }: RawCloud, target: string): never {
  throw new PlumblineError("cloud-incomplete", `${source} lacks ${what}`, {
    where: { target },
    next: "Add it there, in secure.yaml next to it, or as credentials of the target.",
  });
}
