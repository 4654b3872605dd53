import { approvedOrigins } from "../../../desired/approved.js";
import { originNotApproved } from "../../../desired/configuration/credential-origins.js";
import { originOf } from "../../../desired/configuration/target-context.js";
import type { OpenstackTargetConfiguration } from "../configuration.js";
import type { OpenstackDependencies } from "../dependencies.js";
import type { RawCloud } from "./cloud-settings.js";
import { keyOf, markedValue } from "./cloud-settings.js";
import { namedCloud } from "./named-cloud.js";
import { overlay } from "./overlay.js";
import { type CloudSettings, readSettings } from "./settings.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that select a cloud or a file, and do not describe the cloud. */
const CHOOSING: ReadonlySet<string> = new Set(["OS_CLOUD", "OS_CLIENT_CONFIG_FILE", "OS_CLIENT_SECURE_FILE", "OS_CLIENT_VENDOR_FILE"]);

/** Variables whose names differ from the keys in `clouds.yaml`. */
const CALLED: ReadonlyMap<string, string> = new Map([
  ["OS_DEFAULT_DOMAIN", "default_domain_id"],
  ["OS_INSECURE", "insecure"],
]);

/**
 * Finds the cloud of a target in the same order as OpenStack's own tools: the entry in `cloud:` or `OS_CLOUD`, then the `OS_*` variables,
 * then the only entry of `clouds.yaml`. Settings in `plumbline.yaml` override it. If they contain an address and no `cloud:`, only they are
 * used.
 * @throws PlumblineError `origin-not-approved` if the approved configuration does not list an address that the login goes to
 */
export async function findCloud(configuration: OpenstackTargetConfiguration, dependencies: OpenstackDependencies): Promise<CloudSettings> {
  const base = await baseOf(configuration, dependencies);
  const settings = readSettings(overlay(base, configuration), configuration.tls, dependencies, configuration.name);
  checkApproved(settings, configuration, dependencies);
  return settings;
}

/** The operator's files and variables may contain addresses that the check of `plumbline.yaml` did not cover. */
function checkApproved(
  { authUrl, endpoints }: CloudSettings,
  { name, folder, references, pinnedOrigins = [] }: OpenstackTargetConfiguration,
  { environment }: OpenstackDependencies,
): void {
  const maySend = approvedOrigins(environment.PLUMBLINE_APPROVED, folder);
  if (maySend === undefined) return;
  for (const address of [authUrl?.href, ...endpoints.values()]) {
    const origin = originOf(address ?? "");
    if (origin === undefined || pinnedOrigins.includes(origin)) continue;
    const refused = (references.length === 0 ? [undefined] : references).filter((reference) => !maySend(reference, origin));
    if (refused.length > 0) throw originNotApproved(origin, refused[0], { target: name });
  }
}

async function baseOf(configuration: OpenstackTargetConfiguration, dependencies: OpenstackDependencies): Promise<RawCloud> {
  const { cloud, access } = configuration;
  if (cloud === undefined && access.authUrl !== undefined) return { settings: new Map(), source: "plumbline.yaml" };
  const { environment } = dependencies;
  const chosen = cloud ?? (environment.OS_CLOUD || undefined);
  const described = chosen === undefined || chosen === "envvars" ? environmentCloud(environment) : undefined;
  return described ?? (await namedCloud(chosen, dependencies, configuration));
}

/** Reads the cloud that `OS_*` variables describe. Undefined if they configure neither an identity service nor an `auth_type`. */
function environmentCloud(environment: Environment): RawCloud | undefined {
  if (!environment.OS_AUTH_URL && !environment.OS_AUTH_TYPE) return undefined;
  const values = Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith("OS_") || CHOOSING.has(name) || value === undefined || value === "") return [];
    const key = CALLED.get(name) ?? keyOf(name.slice("OS_".length));
    return [{ name, key, value, isOld: name.startsWith("OS_TENANT_") || name === "OS_ENDPOINT_TYPE" }];
  });
  // If a variable and its old name are both set, the new one wins.
  values.sort((a, b) => Number(b.isOld) - Number(a.isOld));
  return {
    settings: new Map(values.map(({ name, key, value }) => [key, markedValue(key, value, name)] as const)),
    source: "the OS_* variables",
  };
}
