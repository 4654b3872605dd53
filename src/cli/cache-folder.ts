import { homedir } from "node:os";
import { join } from "node:path";

/** Where compiled scripts are kept. A folder of this user: what lies there is run. */
export function cacheFolder({ XDG_CACHE_HOME }: Readonly<Record<string, string | undefined>>): string {
  return join(XDG_CACHE_HOME || join(homedir(), ".cache"), "plumbline");
}
