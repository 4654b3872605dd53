import { SecretUnavailable } from "./unavailable.js";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNothing: Check = (value) => value === null || (Array.isArray(value) && value.length === 0);
const isAgeKey: Check = (value) => isMapOf(value, { recipient: isText, enc: isText });
const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** Versions before 3.10 write an empty list for each of these. With an entry, sops would send a login to an address in the file. */
const OTHER_KEEPERS: Readonly<Record<string, Check>> = {
  kms: isNothing,
  gcp_kms: isNothing,
  azure_kv: isNothing,
  hc_vault: isNothing,
  hckms: isNothing,
  pgp: isNothing,
};
const KEEPERS: Readonly<Record<string, Check>> = { ...OTHER_KEEPERS, age: (value) => isNothing(value) || isListOf(isAgeKey)(value) };

/** All possible keys in the metadata of a file for age. */
const KNOWN: Readonly<Record<string, Check>> = {
  ...KEEPERS,
  key_groups: (value) => isNothing(value) || isListOf((group) => isMapOf(group, KEEPERS))(value),
  shamir_threshold: (value) => Number.isInteger(value),
  lastmodified: isText,
  mac: isText,
  mac_only_encrypted: (value) => typeof value === "boolean",
  version: isText,
  unencrypted_suffix: isText,
  encrypted_suffix: isText,
  unencrypted_regex: isText,
  encrypted_regex: isText,
  unencrypted_comment_regex: isText,
  encrypted_comment_regex: isText,
};

/**
 * Checks a parsed file before sops reads it. Only the exact keys of a file for age pass: sops accepts keys of JSON in any case, and the
 * last of two keys that differ in case wins. The error quotes no unknown key, because a commit can name any file.
 *
 * @throws SecretUnavailable
 */
export function checkSopsMetadata(file: unknown): void {
  if (!isMap(file) || !isMap(file.sops)) throw new SecretUnavailable("the file is not encrypted by SOPS");
  if (Object.keys(file).some((key) => key !== "sops" && folded(key) === "sops"))
    throw new SecretUnavailable("the file has a second sops key with other capitals");
  const groups = Array.isArray(file.sops.key_groups) ? (file.sops.key_groups as unknown[]) : [];
  for (const keepers of [file.sops, ...groups].filter(isMap)) {
    const other = Object.entries(OTHER_KEEPERS).find(([name, check]) => name in keepers && !check(keepers[name]))?.[0];
    if (other !== undefined) throw new SecretUnavailable(`the file names ${other} as keeper of its key, and only age is allowed`);
  }
  if (!isMapOf(file.sops, KNOWN)) throw new SecretUnavailable("its sops section has a key or a value that a file for age does not have");
}

/** Compares letters as the JSON decoder of Go does: it takes the long s and the Kelvin sign for s and k. */
function folded(key: string): string {
  return key.toUpperCase().toLowerCase();
}

function isMapOf(value: unknown, known: Readonly<Record<string, Check>>): boolean {
  return isMap(value) && Object.entries(value).every(([key, each]) => Object.hasOwn(known, key) && known[key]?.(each) === true);
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
