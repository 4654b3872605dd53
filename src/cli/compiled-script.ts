import {
  chmodSync,
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { cachedDataVersionTag, getHeapCodeStatistics } from "node:v8";
import { Script } from "node:vm";
import { putV8FlagsBack } from "../core/v8-flags.js";

/** A script of ours, and where what V8 makes of it is kept for the next process. */
export interface ScriptToKeep {
  /** Absolute path of a script that is one function of `exports`, `require`, `module` and `importMetaUrl`. V8 does not keep whom it would ask for an `import()`. */
  readonly file: string;
  /** Of its content: V8 itself compares no more than lengths. */
  readonly digest: string;
  /** A folder of ours that may be missing. The one above it is made where that lies in a folder of this user alone, such as their home. */
  readonly folder: string;
  /** What this process is for. What is kept for a plan has the functions that a plan calls. */
  readonly use: string;
}

const HOUR = 3_600_000;
const SUFFIX = ".compiled";
/** So seldom it is asked whether a run called much that what is kept does not have: to ask takes 4 ms. */
const LOOKED_AT_AFTER = HOUR;
/** Bytes. Functions of Node's own modules are 260,000 of them at most, in each run: those are not ours to keep. */
const MUCH = 300_000;
/** What nobody looked at is of a version that nobody runs any more. */
const FORGOTTEN_AFTER = 90 * 24 * HOUR;
/** Seconds. V8 forgets functions that are not called for long, so a process that ran longer knows less than one that did not. */
const LONGEST_TO_LEARN_FROM = 60;

/**
 * Runs a script by what an earlier process kept of its compiled form, functions that it called among it; else this process keeps it when it ends
 * (docs/adr/0030-what-is-installed.md), under the flags that V8 has now. What is kept is run: it counts where it is a file of this user alone, in a folder of theirs alone.
 * @returns what the script exports
 */
export function runCompiled(of: ScriptToKeep): unknown {
  const version = cachedDataVersionTag();
  const file = join(of.folder, `${of.digest}-${version.toString(36)}-${of.use}${SUFFIX}`);
  const kept = readOwn(file, of.folder);
  const script = new Script(readFileSync(of.file, "latin1"), {
    filename: of.file,
    ...(kept === undefined ? {} : { cachedData: kept.compiled }),
  });
  const isKept = kept !== undefined && script.cachedDataRejected !== true;
  if (!isKept || kept.age > LOOKED_AT_AFTER) {
    const known = isKept ? compiledBytes() : undefined;
    process.once("exit", (code) => {
      // Who failed has not called what others will.
      if (code === 1 || process.uptime() >= LONGEST_TO_LEARN_FROM) return;
      putV8FlagsBack();
      // Of other flags than those that this process began with the next one would take nothing.
      if (cachedDataVersionTag() !== version) return;
      if (known === undefined || compiledBytes() > known + MUCH) keep(file, script.createCachedData(), of.folder);
      else attempt(() => utimesSync(file, new Date(), new Date()));
      attempt(() => removeForgotten(of.folder));
    });
  }
  const module = { exports: {} };
  const run = script.runInThisContext() as (exports: unknown, require: NodeJS.Require, module: unknown, importMetaUrl: string) => void;
  run(module.exports, createRequire(of.file), module, pathToFileURL(of.file).href);
  return module.exports;
}

/** Of functions, of this script and of Node's own modules. */
function compiledBytes(): number {
  return getHeapCodeStatistics().bytecode_and_metadata_size;
}

/** What is in the file, and its age in milliseconds, where file and folder are this user's and nobody else may write to them. */
function readOwn(file: string, folder: string): { readonly compiled: Buffer; readonly age: number } | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, "r");
    const stats = fstatSync(descriptor);
    return [stats, statSync(folder)].every(isOwn) ? { compiled: readFileSync(descriptor), age: Date.now() - stats.mtimeMs } : undefined;
  } catch {
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Where it cannot be written (no folder for it, a disk that is full) the next process compiles as this one did. V8 takes a file of zeros: it is flushed. */
function keep(file: string, compiled: Buffer, folder: string): void {
  const draft = `${file}-${process.pid}`;
  const above = dirname(folder);
  if (isOwnFolder(dirname(above))) attempt(() => mkdirSync(above, { mode: 0o700 }));
  attempt(() => mkdirSync(folder, { mode: 0o700 }));
  // Node's own cache may have made it for a group.
  attempt(() => chmodSync(folder, 0o700));
  const isKept = attempt(() => {
    writeFileSync(draft, compiled, { mode: 0o600, flag: "wx", flush: true });
    renameSync(draft, file);
  });
  if (!isKept) attempt(() => rmSync(draft));
}

/** Whether it is a folder of this user that nobody else may write to; not the root of all, where an administrator without a home would leave things. */
function isOwnFolder(folder: string): boolean {
  try {
    const stats = lstatSync(folder);
    return folder !== dirname(folder) && stats.isDirectory() && isOwn(stats);
  } catch {
    return false;
  }
}

function isOwn({ uid, mode }: Stats): boolean {
  return uid === process.getuid?.() && (mode & 0o022) === 0;
}

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

function removeForgotten(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (name.includes(SUFFIX) && Date.now() - statSync(file).mtimeMs > FORGOTTEN_AFTER) rmSync(file, { force: true });
  }
}
