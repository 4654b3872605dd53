import { createHash } from "node:crypto";
import { join } from "node:path";
import { toFileName } from "../core/file-names.js";
import { Allotment } from "./allotment.js";
import { VerdictCache } from "./cache.js";
import { VerdictClient } from "./client.js";
import type { VerdictDependencies } from "./dependencies.js";
import { type LookUp, type LookUpOptions, lookUp } from "./look-up.js";
import type { VerdictService } from "./service.js";

export { systemVerdictDependencies, type VerdictDependencies } from "./dependencies.js";
export type { VerdictService } from "./service.js";

/** Looks up verdicts by file hash. The state folder keeps the verdicts and the number of queries. */
export interface Verdicts {
  /** `hashes` are valid and lower case. Throws `verdict-*`, `tls-*` and `interrupted` errors. */
  lookUp(hashes: readonly string[], options: LookUpOptions): Promise<LookUp>;
  /** Returns the number of queries left until the next reset. */
  left(): Promise<number>;
  close(): Promise<void>;
}

/** Opens the cache and the query count in `stateFolder`. The first query connects to the service. */
export async function openVerdicts(service: VerdictService, stateFolder: string, dependencies: VerdictDependencies): Promise<Verdicts> {
  const { now } = dependencies;
  const folder = join(stateFolder, "verdict", toFileName(new URL(service.url).host));
  const allotment = new Allotment(join(folder, accountOf(service)), service.allotment, now);
  const cache = await VerdictCache.open(join(folder, "verdicts.jsonl"), now);
  const client = new VerdictClient(service, allotment, dependencies);
  return {
    lookUp: (hashes, options) => lookUp(hashes, { client, cache, allotment, now }, options),
    left: () => allotment.left(),
    close: () => client.close(),
  };
}

/** Returns a folder name per account. 40 bits of a hash do not reveal the key. */
function accountOf({ key }: VerdictService): string {
  return createHash("sha256").update(`plumbline verdict account\n${key.reveal()}`).digest("hex").slice(0, 10);
}
