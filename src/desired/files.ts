import { readdir, realpath, stat } from "node:fs/promises";
import { join, posix, relative, resolve, sep } from "node:path";
import pLimit from "p-limit";
import { PlumblineError } from "../core/errors.js";
import { compileGlob } from "../core/glob.js";
import { isInsideFolder } from "../core/inside-folder.js";
import { readRegularFile, readRegularFileSync } from "../core/regular-file.js";
import { lfsPointerIn } from "./lfs-pointer.js";
import type { Problems } from "./problems.js";
import { SourceFile } from "./source-file.js";

const OPEN_FILES = 32;
/** Maximum size of a document, in bytes: ten times the largest configurations in use. */
export const MOST_DOCUMENT_BYTES = 256 * 1024 * 1024;

type Unsaved = ReadonlyMap<string, string> | undefined;

/** Folders and patterns of `plumbline.yaml`, relative to its own folder. */
export interface DocumentFolders {
  /** Absolute path of the folder with the configuration file. */
  readonly root: string;
  /** Name of the configuration file itself. It is not a document. */
  readonly configurationFile: string;
  readonly documents: readonly string[];
  readonly exclude: readonly string[];
}

/** A tracked path that a working tree may lack although git tracks it. */
export interface HiddenPath {
  /** Relative to the folder of the configuration file. */
  readonly name: string;
  readonly kind: "submodule" | "name-collision";
}

/**
 * Reads every file of the document folders, sorted by name. A file that cannot be a document is an error, never skipped.
 *
 * @param hidden Each of these paths inside a document folder is an error.
 */
export async function readDocuments(
  folders: DocumentFolders,
  problems: Problems,
  unsaved?: Unsaved,
  hidden: readonly HiddenPath[] = [],
): Promise<SourceFile[]> {
  const finder = new Finder(folders, await realpath(folders.root), problems);
  for (const folder of folders.documents) await finder.folder(folder);
  for (const path of hidden) if (finder.covers(path.name)) problems.error(hiddenError(path));
  finder.opened(unsaved?.keys() ?? []);
  return await readNamed(folders, [...finder.names].sort(), problems, unsaved);
}

/**
 * Returns the text of a document or of plumbline.yaml that a command changes.
 *
 * @throws FileRefused, or the error of the system
 */
export function readDocumentText(path: string): string {
  return readRegularFileSync(path, MOST_DOCUMENT_BYTES).toString("utf8");
}

/** Reads files with known names, relative to the root. */
export async function readNamed(
  folders: DocumentFolders,
  names: readonly string[],
  problems: Problems,
  unsaved?: Unsaved,
): Promise<SourceFile[]> {
  const limit = pLimit(OPEN_FILES);
  const files = await Promise.all(names.map((name) => limit(() => readOne(folders.root, name, problems, unsaved))));
  return files.filter((file) => file !== undefined);
}

class Finder {
  readonly names = new Set<string>();
  readonly #folders: DocumentFolders;
  readonly #root: string;
  readonly #problems: Problems;
  readonly #excluded: (name: string) => boolean;

  constructor(folders: DocumentFolders, root: string, problems: Problems) {
    this.#folders = folders;
    this.#root = root;
    this.#problems = problems;
    const patterns = folders.exclude.flatMap((pattern) => [pattern, `${pattern.replace(/\/+$/, "")}/**`]);
    const matchers = patterns.map(compileGlob);
    this.#excluded = (name) => matchers.some((matches) => matches(name));
  }

  /** Searches a folder of `documents:`. */
  async folder(name: string): Promise<void> {
    const path = resolve(this.#folders.root, name);
    const inside = relative(this.#folders.root, path);
    if (inside === ".." || inside.startsWith(`..${sep}`) || path !== join(this.#folders.root, inside)) {
      this.#leaves(name);
      return;
    }
    const kind = await stat(path).catch(() => undefined);
    if (kind?.isDirectory() === true) await this.#walk(inside.split(sep).join("/"), []);
    else
      this.#problems.error(
        new PlumblineError("documents-missing", `documents: names "${name}", which is no folder.`, {
          where: { file: this.#folders.configurationFile },
          next: "Correct the name, or delete it from documents:.",
        }),
      );
  }

  /** Adds documents that are open in an editor and not saved yet. */
  opened(names: Iterable<string>): void {
    for (const name of names)
      if (/\.ya?ml$/.test(name) && name !== this.#folders.configurationFile && this.covers(name)) this.names.add(name);
  }

  /** Returns whether a path is below a document folder, or is such a folder, and no pattern excludes it. */
  covers(name: string): boolean {
    const folders = this.#folders.documents.map((folder) => posix.join(folder, "/"));
    const isWithin = !name.startsWith("../") && folders.some((folder) => folder === "./" || `${name}/`.startsWith(folder));
    return isWithin && !this.#isExcluded(name);
  }

  /** Returns whether a pattern excludes the path or a folder above it. */
  #isExcluded(name: string): boolean {
    const parts = name.split("/");
    return parts.some((_, index) => this.#excluded(parts.slice(0, index + 1).join("/")));
  }

  async #walk(name: string, above: readonly string[]): Promise<void> {
    const real = await this.#inside(name);
    if (real === undefined) return;
    if (above.includes(real)) {
      this.#leaves(name);
      return;
    }
    for (const entry of await readdir(real, { withFileTypes: true })) {
      const child = posix.join(name, entry.name);
      if (entry.name === ".git" || child === this.#folders.configurationFile || this.#excluded(child)) continue;
      const link = entry.isSymbolicLink();
      const kind = link ? await stat(join(real, entry.name)).catch(() => undefined) : entry;
      if (kind?.isDirectory() === true) await this.#walk(child, [...above, real]);
      else if (kind?.isFile() !== true) this.#unreadable(child);
      else if (!link || (await this.#inside(child)) !== undefined) this.#file(child);
    }
  }

  #file(name: string): void {
    if (/\.ya?ml$/.test(name)) this.names.add(name);
    else
      this.#problems.error(
        new PlumblineError("unknown-extension", "A file among the documents is no YAML file.", {
          where: { file: name },
          next: "Rename it to .yaml, move it elsewhere, or list it in exclude: of plumbline.yaml.",
        }),
      );
  }

  /** Returns the path of a name without links if it is inside the folder of plumbline.yaml and not in `.git`. */
  async #inside(name: string): Promise<string | undefined> {
    const real = await realpath(join(this.#folders.root, name)).catch(() => undefined);
    if (real === undefined) this.#unreadable(name);
    else if (isInsideFolder(this.#root, real)) return real;
    else this.#leaves(name);
    return undefined;
  }

  #leaves(name: string): void {
    this.#problems.error(
      new PlumblineError("file-leaves-repository", `"${name}" leads outside the folder of plumbline.yaml, into .git, or back to itself.`, {
        where: { file: name },
        next: "Put the files into the desired state itself: other files are not versioned with it.",
      }),
    );
  }

  #unreadable(name: string): void {
    this.#problems.error(unreadable(name));
  }
}

async function readOne(root: string, name: string, problems: Problems, unsaved: Unsaved): Promise<SourceFile | undefined> {
  const text = unsaved?.get(name);
  if (text !== undefined) return new SourceFile(name, text);
  const bytes = await readRegularFile(join(root, name), MOST_DOCUMENT_BYTES).catch(() => undefined);
  if (bytes === undefined) {
    problems.error(unreadable(name));
    return undefined;
  }
  const pointer = lfsPointerIn(bytes, name);
  if (pointer !== undefined) {
    problems.error(pointer);
    return undefined;
  }
  try {
    return new SourceFile(name, new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    problems.error(
      new PlumblineError("file-not-text", "The file is not UTF-8 text.", { where: { file: name }, next: "Save it as UTF-8." }),
    );
    return undefined;
  }
}

function hiddenError({ name, kind }: HiddenPath): PlumblineError {
  if (kind === "submodule")
    return new PlumblineError("submodule-in-documents", "A document folder contains a git submodule. A plain clone has no files in it.", {
      where: { file: name },
      next: "Commit the documents to this repository, or list the submodule in exclude: of plumbline.yaml.",
    });
  return new PlumblineError("name-collision", "Another tracked file has the same name except for case or accents.", {
    where: { file: name },
    next: "Rename one of the files. Some file systems can hold only one of them.",
  });
}

function unreadable(name: string): PlumblineError {
  return new PlumblineError("file-unreadable", "The file cannot be read, or is not a regular file.", {
    where: { file: name },
    next: "Make it readable, or list it in exclude: of plumbline.yaml.",
  });
}
