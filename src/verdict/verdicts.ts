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

/** Verdicts of files by their hashes, remembered and counted in the state folder. */
export interface Verdicts {
  /** `hashes` are valid and lower case. Throws `verdict-*`, `tls-*` and `interrupted` errors. */
  lookUp(hashes: readonly string[], options: LookUpOptions): Promise<LookUp>;
  /** Queries left until the next reset. */
  left(): Promise<number>;
  close(): Promise<void>;
}

/** Opens the verdict service with what `stateFolder` remembers of it; connects when something must be asked. */
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

/** A folder name that tells accounts apart; 40 bits of a hash say nothing of the key. */
function accountOf({ key }: VerdictService): string {
  return createHash("sha256").update(`plumbline verdict account\n${key.reveal()}`).digest("hex").slice(0, 10);
}
