import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import { joinLines } from "../../core/printable.js";
import { count } from "../../report/format-counts.js";
import type { Context } from "../context.js";
import { type GlobalOptions, type PlainFormat, stateFolder } from "../options.js";
import { show } from "../show.js";
import { findStore } from "../store.js";

interface Flags extends GlobalOptions, PlainFormat {
  readonly out: string;
}

/** Clones of repositories, which the agent creates again. */
const RECREATED = "agent";

/** Copies the store and the state folder to a new folder, also while an agent runs. Returns the exit code. */
export async function backup(flags: Flags, context: Context): Promise<number> {
  const out = resolve(context.folder, flags.out);
  const state = stateFolder(flags, context);
  const store = await findStore(flags, context);
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new PlumblineError("backup-refused", "The output folder is not empty.", { where: { file: out }, next: "Name a new folder." });
  mkdirSync(out, { recursive: true, mode: 0o700 });
  try {
    const database = store.kind === "sqlite" && existsSync(store.file) ? store.file : undefined;
    const files = filesOf(state).filter((file) => !isOfDatabase(file, database));
    for (const file of files) await copyPrivate(join(state, file), join(out, file));
    if (database !== undefined) {
      const { copySqlite } = await import("../../agent/store/sqlite.js");
      copySqlite(database, join(out, "plumbline.db"));
    }
    const notes = {
      sqlite: database === undefined ? "There is no store yet." : `plumbline.db is a copy of ${database}.`,
      postgres: "The store is in PostgreSQL and is not in this backup: use pg_dump.",
    };
    show(
      flags,
      context,
      () => ({ folder: out, store: store.kind === "sqlite" ? database : "postgres", files }),
      () => joinLines([`${count(files.length, "file")} of ${state} copied to ${out}.`, notes[store.kind]]),
    );
    return 0;
  } catch (error) {
    rmSync(out, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the regular files of the state folder, without clones. Links are not followed. */
function filesOf(state: string): string[] {
  if (!existsSync(state)) return [];
  return readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(state, join(entry.parentPath, entry.name)))
    .filter((file) => file.split("/")[0] !== RECREATED)
    .sort();
}

/** Returns whether a file belongs to the database, such as its log or its lock. */
function isOfDatabase(file: string, database: string | undefined): boolean {
  const name = basename(database ?? "plumbline.db");
  return dirname(file) === "." && (file === name || file.startsWith(`${name}-`));
}

async function copyPrivate(from: string, to: string): Promise<void> {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  copyFileSync(from, to);
  await chmod(to, 0o600);
}
