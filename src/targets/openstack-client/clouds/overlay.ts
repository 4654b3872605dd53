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
  const settings = new Map(base.settings);
  const forget = (keys: readonly string[]): void => {
    for (const key of keys) settings.delete(key);
  };
  const override = (key: string, value: TextOrSecret | undefined): void => {
    if (value !== undefined) settings.set(key, value);
  };
  if (access.password !== undefined) forget([...CREDENTIAL_KEYS, "token", "auth_type"]);
  if (access.applicationCredentialSecret !== undefined) forget([...PASSWORD_KEYS, ...CREDENTIAL_KEYS, "token", "auth_type"]);
  if (access.username !== undefined) forget(["user_id"]);
  if (access.userDomain !== undefined) forget(["user_domain_id"]);
  if (access.projectName !== undefined || access.projectId !== undefined) forget(["project_id", "project_name", "system_scope"]);
  if (access.projectDomain !== undefined) forget(["project_domain_id"]);
  override("auth_url", access.authUrl);
  override("identity_api_version", access.identityVersion);
  override("username", access.username);
  override("password", access.password);
  override("user_domain_name", access.userDomain);
  override("application_credential_id", access.applicationCredentialId);
  override("application_credential_name", access.applicationCredentialName);
  override("application_credential_secret", access.applicationCredentialSecret);
  override("project_name", access.projectName);
  override("project_id", access.projectId);
  override("project_domain_name", access.projectDomain);
  override("region_name", access.region);
  override("interface", access.interface);
  for (const [service, url] of access.endpoints) override(`${service.replaceAll("-", "_")}_endpoint_override`, url);
  return { settings, source: base.source };
}
