import { SecretValue, type TextOrSecret } from "../../../core/secret.js";

/**
 * Settings of one cloud, by the flat keys of `clouds.yaml` (`auth_url`, `username`, `region_name`). `clouds.yaml`, the environment and
 * `plumbline.yaml` are all converted to this form. Secrets are typed from the start.
 */
export type RawCloudSettings = ReadonlyMap<string, TextOrSecret>;

/** A cloud and the source of its settings, for messages. */
export interface RawCloud {
  readonly settings: RawCloudSettings;
  readonly source: string;
}

const SECRET_KEYS: ReadonlySet<string> = new Set(["password", "token", "application_credential_secret", "passcode"]);

/** Old names of keys. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ["tenant_name", "project_name"],
  ["tenant_id", "project_id"],
  ["endpoint_type", "interface"],
  ["user_name", "username"],
]);

export function keyOf(key: string): string {
  const plain = key.replaceAll("-", "_").toLowerCase();
  return RENAMED.get(plain) ?? plain;
}

/** Returns the value, as a secret if the key is one. `place` is part of the label. */
export function markedValue(key: string, value: string, place: string): TextOrSecret {
  return SECRET_KEYS.has(key) ? new SecretValue(value, `«${key} of ${place}»`) : value;
}

export function textOf(settings: RawCloudSettings, key: string): string | undefined {
  const value = settings.get(key);
  return value instanceof SecretValue ? undefined : value;
}

/** Returns a user or domain. A resolved reference is allowed here. */
export function whoOf(settings: RawCloudSettings, key: string): TextOrSecret | undefined {
  return settings.get(key);
}

export function secretOf(settings: RawCloudSettings, key: string): SecretValue | undefined {
  const value = settings.get(key);
  return value instanceof SecretValue ? value : undefined;
}
