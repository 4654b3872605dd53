import { mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "../../core/atomic-file.js";
import { toFileName } from "../../core/file-names.js";

/** One line of the journal. The journal is only advisory: no step depends on it (docs/contributing/apply.md). */
export interface JournalLine {
  readonly run: string;
  /** ISO 8601. */
  readonly time: string;
  readonly event: "begin" | "write" | "commit" | "restored" | "stopped" | "take-back" | "end";
  readonly digest: string;
  /** Index of the batch, for `write`. */
  readonly batch?: number;
  readonly detail?: string;
}

/** An append-only file for one owner and target. Each line is on disk before the step that it announces begins. */
export class Journal {
  readonly file: string;

  constructor(stateFolder: string, owner: string, target: string) {
    this.file = join(stateFolder, "journal", toFileName(owner), `${toFileName(target)}.jsonl`);
  }

  async append(line: JournalLine): Promise<void> {
    const folder = dirname(this.file);
    await mkdir(folder, { recursive: true });
    const handle = await open(this.file, "a", 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(line)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (line.event === "begin") await syncFolder(folder);
  }

  /** Returns the run that began and did not end, or undefined. Skips a last line that a crash has cut off. */
  async unfinished(): Promise<JournalLine | undefined> {
    let open: JournalLine | undefined;
    for (const line of await this.#lines()) {
      if (line.event === "begin") open = line;
      else if (line.event === "end" && line.run === open?.run) open = undefined;
    }
    return open;
  }

  /** Deletes the journal after a successful run. It is only needed for runs that did not finish. */
  async clear(): Promise<void> {
    await rm(this.file, { force: true });
  }

  async #lines(): Promise<JournalLine[]> {
    const text = await readFile(this.file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    return text.split("\n").flatMap((row) => {
      try {
        return [JSON.parse(row) as JournalLine];
      } catch {
        return [];
      }
    });
  }
}
