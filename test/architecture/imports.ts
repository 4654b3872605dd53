import { readdirSync, readFileSync } from "node:fs";
import { join, normalize } from "node:path";

/** One file naming another, in whatever way: `import`, `import type`, `export from`, `import()` of a value or a type. */
export interface Import {
  /** As in `engine/apply.ts`, below `src`. */
  readonly from: string;
  readonly to: string;
  /** What stands before the name of the other file: `import type { Plan } from`, `import(`. */
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

/** The room of a file; the program's own file stands in that of the commands. */
export function roomOf(file: string): string {
  return file === "cli.ts" ? "cli" : (file.split("/")[0] ?? "");
}
