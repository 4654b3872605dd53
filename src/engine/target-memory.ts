import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "../core/atomic-file.js";
import { toFileName } from "../core/file-names.js";

/**
 * What a kind of target keeps of one target on this machine, so that the next process need not ask again. It is advice: it may be lost,
 * cut short, or of a box that has been exchanged or upgraded since.
 */
export interface TargetMemory {
  /** Empty where there is none. */
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
