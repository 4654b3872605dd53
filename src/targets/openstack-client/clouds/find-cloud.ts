import { approvedOrigins } from "../../../desired/approved.js";
import { originNotApproved } from "../../../desired/configuration/credential-origins.js";
import { originOf } from "../../../desired/configuration/target-context.js";
import type { OpenstackTargetConfiguration } from "../configuration.js";
import type { OpenstackDependencies } from "../dependencies.js";
import type { RawCloud } from "./cloud-settings.js";
import { environmentCloud } from "./environment.js";
import { namedCloud } from "./named-cloud.js";
import { overlay } from "./overlay.js";
import { type CloudSettings, readSettings } from "./settings.js";

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
  if (cloud === undefined && access.authUrl !== undefined) return { said: new Map(), source: "plumbline.yaml" };
  const { environment } = dependencies;
  const chosen = cloud ?? (environment.OS_CLOUD || undefined);
  const described = chosen === undefined || chosen === "envvars" ? environmentCloud(environment) : undefined;
  return described ?? (await namedCloud(chosen, dependencies, configuration));
}
