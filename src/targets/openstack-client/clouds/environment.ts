import { keyOf, markedValue, type RawCloud } from "./cloud-settings.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that select a cloud or a file, and do not describe the cloud. */
const CHOOSING: ReadonlySet<string> = new Set(["OS_CLOUD", "OS_CLIENT_CONFIG_FILE", "OS_CLIENT_SECURE_FILE", "OS_CLIENT_VENDOR_FILE"]);

/** Variables whose names differ from the keys in `clouds.yaml`. */
const CALLED: ReadonlyMap<string, string> = new Map([
  ["OS_DEFAULT_DOMAIN", "default_domain_id"],
  ["OS_INSECURE", "insecure"],
]);

/** Reads the cloud that `OS_*` variables describe. Undefined if they configure neither an identity service nor an `auth_type`. */
export function environmentCloud(environment: Environment): RawCloud | undefined {
  if (!environment.OS_AUTH_URL && !environment.OS_AUTH_TYPE) return undefined;
  const said = Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith("OS_") || CHOOSING.has(name) || value === undefined || value === "") return [];
    const key = CALLED.get(name) ?? keyOf(name.slice("OS_".length));
    return [{ name, key, value, isOld: name.startsWith("OS_TENANT_") || name === "OS_ENDPOINT_TYPE" }];
  });
  // If a variable and its old name are both set, the new one wins.
  said.sort((a, b) => Number(b.isOld) - Number(a.isOld));
  return {
    said: new Map(said.map(({ name, key, value }) => [key, markedValue(key, value, name)] as const)),
    source: "the OS_* variables",
  };
}
