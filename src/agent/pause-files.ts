import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { fromFileName } from "../core/file-names.js";
import { readRegularFile } from "../core/regular-file.js";
import { parseDuration } from "../desired/configuration/duration.js";
import type { Pause } from "../engine/pause.js";

const ALL = "all";
/** Maximum size of a file, in bytes. The content of a larger file is ignored, but it still pauses. */
const MOST_BYTES = 65_536;

/**
 * Reads pauses from files, for users who can only reach the machine: `STATE/pause/<target>` or `STATE/pause/all`. An empty file is enough.
 * Its optional fields are `reason:`, `by:` and `until:` (a time) or `for:` (such as 2h, from the time of the file). A file that cannot be
 * parsed pauses until it is deleted.
 */
export async function pausesInFiles(stateFolder: string): Promise<Pause[]> {
  const folder = join(stateFolder, "pause");
  const names = await readdir(folder).catch(() => []);
  return await Promise.all(names.filter((name) => !name.startsWith(".")).map((name) => readPause(join(folder, name), name)));
}

async function readPause(file: string, name: string): Promise<Pause> {
  const target = name === ALL ? undefined : fromFileName(name);
  const since = (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;
  const plain: Pause = { target, reason: `the file ${file}`, by: "a file", since, until: undefined };
  try {
    const content: unknown = parse((await readRegularFile(file, MOST_BYTES)).toString("utf8"));
    if (content === null || typeof content !== "object") return plain;
    const { reason, by, until, for: length } = content as Readonly<Record<string, unknown>>;
    const ends =
      typeof until === "string"
        ? Date.parse(until)
        : typeof length === "string"
          ? since + (parseDuration(length) ?? Number.NaN)
          : undefined;
    return {
      ...plain,
      ...(typeof reason === "string" ? { reason } : {}),
      ...(typeof by === "string" ? { by } : {}),
      until: ends === undefined || Number.isNaN(new Date(ends).getTime()) ? undefined : ends,
    };
  } catch {
    return plain;
  }
}
