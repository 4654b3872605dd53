import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { redactUrls } from "../core/redact-urls.js";
import { readAgent } from "../desired/configuration/agent.js";
import { parseConfiguration } from "../desired/configuration/read.js";
import { repositoryAddress } from "../engine/checkout/checkout.js";
import { kinds } from "../targets/registry.js";
import type { Context } from "./context.js";
import type { GlobalOptions } from "./options.js";
import { configurationFile } from "./store.js";

/** A clone of a clone of a clone has the name of the first repository. */
const CLONES = 5;

/**
 * Returns the repository in which a command runs, for the history in the store. The agent and a user may use different addresses of one
 * repository, so the scheme, the user name and `.git` are omitted. Undefined without plumbline.yaml.
 */
export async function currentRepository(flags: GlobalOptions, context: Context): Promise<string | undefined> {
  const file = configurationFile(flags, context);
  if (file === undefined) return undefined;
  const { source } = readAgent((await parseConfiguration(file, kinds)).text.agent ?? {}, dirname(file));
  return await repositoryName(source.url ?? dirname(file));
}

/** Returns the name of a repository from its address or folder. A folder with a remote has the name of the remote. */
export async function repositoryName(place: string): Promise<string> {
  let at = place.replace(/^file:\/\//i, "");
  for (let clones = 0; clones < CLONES && existsSync(at); clones++) {
    const next = await repositoryAddress(at);
    if (next === at) return realpathSync(at);
    at = next;
  }
  const [, host = "", path = ""] = /^(?:[a-z+]+:\/\/)?(?:[^/@]+@)?([^/:]+(?::\d+)?)[:/]\/*(.*)$/i.exec(redactUrls(at)) ?? [];
  return host === "" ? redactUrls(at) : `${host.toLowerCase()}/${path.replace(/\/+$/, "").replace(/\.git$/, "")}`;
}
