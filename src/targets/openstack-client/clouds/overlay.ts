import type { TextOrSecret } from "../../../core/secret.js";
import type { OpenstackTargetConfiguration } from "../configuration.js";
import type { RawCloud } from "./cloud-settings.js";

const PASSWORD_KEYS = ["username", "user_id", "password", "user_domain_id", "user_domain_name"];
const CREDENTIAL_KEYS = ["application_credential_id", "application_credential_name", "application_credential_secret"];

/**
 * Applies the settings of `plumbline.yaml` to a cloud. Credentials replace credentials of another kind, and a project replaces another
 * project.
 */
export function overlay(base: RawCloud, { access }: OpenstackTargetConfiguration): RawCloud {
  const said = new Map(base.said);
  const forget = (keys: readonly string[]): void => {
    for (const key of keys) said.delete(key);
  };
  const say = (key: string, value: TextOrSecret | undefined): void => {
    if (value !== undefined) said.set(key, value);
  };
  if (access.password !== undefined) forget([...CREDENTIAL_KEYS, "token", "auth_type"]);
  if (access.applicationCredentialSecret !== undefined) forget([...PASSWORD_KEYS, ...CREDENTIAL_KEYS, "token", "auth_type"]);
  if (access.username !== undefined) forget(["user_id"]);
  if (access.userDomain !== undefined) forget(["user_domain_id"]);
  if (access.projectName !== undefined || access.projectId !== undefined) forget(["project_id", "project_name", "system_scope"]);
  if (access.projectDomain !== undefined) forget(["project_domain_id"]);
  say("auth_url", access.authUrl);
  say("identity_api_version", access.identityVersion);
  say("username", access.username);
  say("password", access.password);
  say("user_domain_name", access.userDomain);
  say("application_credential_id", access.applicationCredentialId);
  say("application_credential_name", access.applicationCredentialName);
  say("application_credential_secret", access.applicationCredentialSecret);
  say("project_name", access.projectName);
  say("project_id", access.projectId);
  say("project_domain_name", access.projectDomain);
  say("region_name", access.region);
  say("interface", access.interface);
  for (const [service, url] of access.endpoints) say(`${service.replaceAll("-", "_")}_endpoint_override`, url);
  return { said, source: base.source };
}
