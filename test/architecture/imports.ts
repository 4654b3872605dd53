import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";

/** One file that refers to another by `import`, `import type`, `export from`, or `import()` of a value or a type. */
export interface Import {
  /** As in `engine/apply/apply-plan.ts`, below `src`. */
  readonly from: string;
  readonly to: string;
  /** The text before the name of the other file: `import type { Plan } from`, `import(`. */
  readonly words: string;
}

/** Every import of one source by another below `root`, types included. */
export function importsOf(root: string): readonly Import[] {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return files.flatMap((from) =>
    [...readFileSync(join(root, from), "utf8").matchAll(/((?:^(?:import|export)\b[^;"]*?|\bimport\())\s*"(\.[^"]+)\.js"/gm)].map(
      ([, words = "", to = ""]) => ({ from, to: `${normalize(join(from, "..", to))}.ts`, words }),
    ),
  );
}

/** The room of a file. The entry file of the program belongs to the room of the commands. */
export function roomOf(file: string): string {
  return file === "cli.ts" ? "cli" : (file.split("/")[0] ?? "");
}
