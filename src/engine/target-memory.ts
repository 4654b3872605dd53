import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "../core/atomic-file.js";
import { toFileName } from "../core/file-names.js";

/** Cache of one target on this machine for later processes. It may be lost, truncated, or from a device that was replaced or upgraded. */
export interface TargetMemory {
  /** Empty if there is no cache. */
  read(): Promise<string>;
  /** Not being able to is no failure of a pass. */
  write(text: string): Promise<void>;
}

/** A file for each target. */
export function memoryOf(stateFolder: string, target: string): TargetMemory {
  const file = join(stateFolder, "devices", `${toFileName(target)}.json`);
  return {
    read: async () => await readFile(file, "utf8").catch(() => ""),
    write: async (text) => await writeAtomically(file, text, 0o600).catch(() => undefined),
  };
}
