import { keyOf, markedValue, type SaidCloud } from "./said.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that choose a cloud or a file, and say nothing of the cloud itself. */
const CHOOSING: ReadonlySet<string> = new Set(["OS_CLOUD", "OS_CLIENT_CONFIG_FILE", "OS_CLIENT_SECURE_FILE", "OS_CLIENT_VENDOR_FILE"]);

/** Keys that are not called as in `clouds.yaml`. */
const CALLED: ReadonlyMap<string, string> = new Map([
  ["OS_DEFAULT_DOMAIN", "default_domain_id"],
  ["OS_INSECURE", "insecure"],
]);

/** The cloud that `OS_*` variables describe; undefined where they name neither an identity service nor a way in without one. */
export function environmentCloud(environment: Environment): SaidCloud | undefined {
  if (!environment.OS_AUTH_URL && !environment.OS_AUTH_TYPE) return undefined;
  const said = Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith("OS_") || CHOOSING.has(name) || value === undefined || value === "") return [];
    const key = CALLED.get(name) ?? keyOf(name.slice("OS_".length));
    return [{ name, key, value, isOld: name.startsWith("OS_TENANT_") || name === "OS_ENDPOINT_TYPE" }];
  });
  // Where a variable stands beside its old name, the new one counts.
  said.sort((a, b) => Number(b.isOld) - Number(a.isOld));
  return {
    said: new Map(said.map(({ name, key, value }) => [key, markedValue(key, value, name)] as const)),
    source: "the OS_* variables",
  };
}
