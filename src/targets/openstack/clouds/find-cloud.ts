import type { OpenstackDependencies } from "../dependencies.js";
import type { OpenstackTargetConfiguration } from "../settings.js";
import { environmentCloud } from "./environment.js";
import { namedCloud } from "./named-cloud.js";
import { overlay } from "./overlay.js";
import type { SaidCloud } from "./said.js";
import { type CloudSettings, readSettings } from "./settings.js";

/**
 * The cloud of a target, chosen as OpenStack's own tools choose: the entry that `cloud:` or `OS_CLOUD` names, else the
 * `OS_*` variables, else the only entry of `clouds.yaml`. What `plumbline.yaml` says lies over it; with an address of
 * its own and no `cloud:` it stands alone.
 */
export async function findCloud(configuration: OpenstackTargetConfiguration, dependencies: OpenstackDependencies): Promise<CloudSettings> {
  const base = await baseOf(configuration, dependencies);
  return readSettings(overlay(base, configuration), configuration.tls, dependencies, configuration.name);
}

async function baseOf({ name, cloud, access }: OpenstackTargetConfiguration, dependencies: OpenstackDependencies): Promise<SaidCloud> {
  if (cloud === undefined && access.authUrl !== undefined) return { said: new Map(), source: "plumbline.yaml" };
  const { environment } = dependencies;
  const chosen = cloud ?? (environment.OS_CLOUD || undefined);
  const described = chosen === undefined || chosen === "envvars" ? environmentCloud(environment) : undefined;
  return described ?? (await namedCloud(chosen, dependencies, name));
}
