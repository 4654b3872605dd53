import * as system from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { expectAlive, running } from "../running.js";

/** Files of simulated machines are below this path. All others are the system's and are only read. */
export const ROOT = "/simulated";
const TEMPORARY = `${ROOT}/temporary`;

interface ModelFile {
  readonly kind: "file";
  bytes: Buffer;
  readonly modified: number;
}

const files = new Map<string, ModelFile | { readonly kind: "folder"; readonly names: Set<string> }>();

export function emptyFileSystem(): void {
  files.clear();
  files.set(ROOT, { kind: "folder", names: new Set() });
}

function isModel(path: string | URL): path is string {
  if (typeof path !== "string") return false;
  return path === ROOT || path.startsWith(`${ROOT}/`);
}

function failure(code: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

function folderAt(path: string): { readonly names: Set<string> } {
  const found = files.get(path);
  if (found === undefined) throw failure("ENOENT", path);
  if (found.kind !== "folder") throw failure("ENOTDIR", path);
  return found;
}

function fileAt(path: string): ModelFile {
  const found = files.get(path);
  if (found === undefined) throw failure("ENOENT", path);
  if (found.kind !== "file") throw failure("EISDIR", path);
  return found;
}

function put(path: string, bytes: Buffer): void {
  folderAt(dirname(path)).names.add(basename(path));
  files.set(path, { kind: "file", bytes, modified: running().scheduler.now });
}

function makeFolder(path: string): void {
  if (files.get(path)?.kind === "folder") return;
  if (!isModel(path)) throw failure("EACCES", path);
  makeFolder(dirname(path));
  folderAt(dirname(path)).names.add(basename(path));
  files.set(path, { kind: "folder", names: new Set() });
}

function remove(path: string): void {
  const found = files.get(path);
  if (found === undefined) return;
  if (found.kind === "folder") for (const name of [...found.names]) remove(join(path, name));
  files.delete(path);
  folderAt(dirname(path)).names.delete(basename(path));
}

/** Immediately, like a person at a keyboard. */
export const atOnce = {
  write(path: string, text: string): void {
    makeFolder(dirname(path));
    put(path, Buffer.from(text));
  },
  read: (path: string): string => fileAt(path).bytes.toString("utf8"),
  exists: (path: string): boolean => files.has(path),
  remove,
  makeFolder,
  /** Paths of all files below a folder, from there. */
  list(folder: string): string[] {
    const found = files.get(folder);
    if (found?.kind !== "folder") return [];
    return [...found.names].sort().flatMap((name) => {
      const path = join(folder, name);
      return files.get(path)?.kind === "folder" ? atOnce.list(path).map((below) => join(name, below)) : [name];
    });
  },
};

class Handle {
  #at = 0;
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async stat() {
    return statsOf(this.#path);
  }

  async read({ buffer }: { readonly buffer: Buffer }) {
    const bytesRead = fileAt(this.#path).bytes.copy(buffer, 0, this.#at);
    this.#at += bytesRead;
    return { bytesRead, buffer };
  }

  async writeFile(text: string): Promise<void> {
    await expectAlive();
    const before = fileAt(this.#path).bytes;
    put(this.#path, Buffer.concat([before, Buffer.from(text)]));
  }

  /** A moment at which the process may be killed. */
  async sync(): Promise<void> {
    await running().scheduler.wait(0.2);
  }

  async close(): Promise<void> {
    await expectAlive();
  }
}

function statsOf(path: string) {
  const found = files.get(path);
  if (found === undefined) throw failure("ENOENT", path);
  const isFile = found.kind === "file";
  return {
    isFile: () => isFile,
    isDirectory: () => !isFile,
    isSymbolicLink: () => false,
    size: isFile ? found.bytes.length : 0,
    mtimeMs: isFile ? found.modified : 0,
  };
}

function openAt(path: string, flags: string | number): Handle {
  const found = files.get(path);
  if (flags === "wx" && found !== undefined) throw failure("EEXIST", path);
  if (flags === "w" || flags === "wx" || (flags === "a" && found === undefined)) put(path, Buffer.alloc(0));
  else if (found === undefined) throw failure("ENOENT", path);
  return new Handle(path);
}

/** Functions of `node:fs/promises` that the product imports. */
export async function open(path: string, flags: string | number = "r"): Promise<Handle> {
  await expectAlive();
  return openAt(path, flags);
}

export async function readFile(path: string, encoding?: string): Promise<Buffer | string> {
  await expectAlive();
  const bytes = isModel(path) ? fileAt(path).bytes : system.readFileSync(path);
  return encoding === undefined ? bytes : bytes.toString("utf8");
}

export async function mkdir(path: string): Promise<void> {
  await expectAlive();
  makeFolder(path);
}

export async function readdir(path: string, options: { readonly withFileTypes?: boolean; readonly recursive?: boolean } = {}) {
  await expectAlive();
  const names = options.recursive === true ? atOnce.list(path) : [...folderAt(path).names].sort();
  if (options.withFileTypes !== true) return names;
  return names.map((name) => ({ name: basename(name), parentPath: dirname(join(path, name)), ...statsOf(join(path, name)) }));
}

export async function rename(from: string, to: string): Promise<void> {
  await expectAlive();
  const found = files.get(from);
  if (found === undefined) throw failure("ENOENT", from);
  if (found.kind === "file") put(to, found.bytes);
  else {
    for (const name of atOnce.list(from)) atOnce.write(join(to, name), atOnce.read(join(from, name)));
    makeFolder(to);
  }
  remove(from);
}

export async function rm(path: string, { force = false } = {}): Promise<void> {
  await expectAlive();
  if (!force && !files.has(path)) throw failure("ENOENT", path);
  remove(path);
}

export async function stat(path: string) {
  await expectAlive();
  return statsOf(path);
}

export async function realpath(path: string): Promise<string> {
  await expectAlive();
  return realpathSync(path);
}

export async function access(path: string): Promise<void> {
  await expectAlive();
  statsOf(path);
}

/** Functions of `node:fs` that the product imports. */
export function realpathSync(path: string): string {
  const whole = resolve(path);
  if (!isModel(whole)) return system.realpathSync(whole);
  statsOf(whole);
  return whole;
}

export function existsSync(path: string | URL): boolean {
  return isModel(path) ? files.has(path) : system.existsSync(path);
}

export function readFileSync(path: string | URL, encoding?: BufferEncoding): Buffer | string {
  if (isModel(path)) {
    const { bytes } = fileAt(path);
    return encoding === undefined ? bytes : bytes.toString(encoding);
  }
  return system.readFileSync(path, encoding);
}

export const readlinkSync = system.readlinkSync;
export const constants = system.constants;

function refuse(): never {
  throw new Error("a simulated run does not do that to files");
}

/** Temporary folders are in the model, wherever the program requests them. */
export async function mkdtemp(prefix: string): Promise<string> {
  await expectAlive();
  makeFolder(TEMPORARY);
  const path = join(TEMPORARY, `${basename(prefix)}${folderAt(TEMPORARY).names.size}`);
  makeFolder(path);
  return path;
}

export function statSync(path: string | URL) {
  return isModel(path) ? { ...statsOf(path), uid: process.geteuid?.() } : system.statSync(path);
}

export const [cp, chmod, writeFile] = [refuse, refuse, refuse];
export const [mkdirSync, chmodSync, closeSync, openSync, fstatSync, readSync, writeFileSync, createReadStream, rmSync] = [
  refuse,
  refuse,
  refuse,
  refuse,
  refuse,
  refuse,
  refuse,
  refuse,
  refuse,
];
