import { dirname } from "node:path";
import { type StoreLocation, storeLocation } from "../agent/store/location.js";
import { PlumblineError } from "../core/errors.js";
import { SecretValue } from "../core/secret.js";
import { ANY_COMMAND, commandPolicy } from "../desired/commands.js";
import { parseConfiguration } from "../desired/configuration/read.js";
import { readStoreSetting } from "../desired/configuration/store.js";
import { SecretReader } from "../desired/secrets.js";
import { kinds } from "../targets/registry.js";
import type { Context } from "./context.js";
import { findConfiguration, type GlobalOptions, stateFolder } from "./options.js";

/**
 * Returns the location of the agent's store: the variable PLUMBLINE_STORE, or `store:` of the configuration. Otherwise a file in the state
 * folder, also without plumbline.yaml. Reads no credentials of targets.
 */
export async function findStore(flags: GlobalOptions, context: Context): Promise<StoreLocation> {
  const state = stateFolder(flags, context);
  const { PLUMBLINE_STORE: address = "" } = context.environment;
  if (address !== "") return storeLocation(new SecretValue(address, "${env:PLUMBLINE_STORE}"), context.folder, state);
  const file = configurationFile(flags, context);
  if (file === undefined) return storeLocation(undefined, state, state);
  const parsed = await parseConfiguration(file, kinds);
  const folder = dirname(parsed.file);
  const listed = () => commandPolicy(context.environment.PLUMBLINE_ALLOW_EXEC, context.folder, parsed.file);
  const mayRun = flags.allowExec === true ? ANY_COMMAND : listed();
  const setting = await readStoreSetting(parsed, new SecretReader(context.environment, folder, mayRun));
  return storeLocation(setting, folder, state);
}

/** Returns the path of plumbline.yaml. Undefined if there is none. */
export function configurationFile(flags: GlobalOptions, context: Context): string | undefined {
  try {
    return findConfiguration(flags, context);
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "configuration-not-found") return undefined;
    throw error;
  }
}
