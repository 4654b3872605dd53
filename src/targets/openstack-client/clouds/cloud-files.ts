import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { isMap, isScalar, parseDocument } from "yaml";
import { PlumblineError } from "../../../core/errors.js";
import { readRegularFile, whyUnread } from "../../../core/regular-file.js";
import { checkoutRoot, isBelow } from "../../../desired/commands.js";
import type { OpenstackDependencies } from "../dependencies.js";

/** A value of YAML's failsafe schema: text, list or map. */
export type Plain = string | readonly Plain[] | PlainMap;
export type PlainMap = ReadonlyMap<string, Plain>;

/** A file and its content. `path` is undefined if there is no file. */
export interface CloudFile {
  readonly path: string | undefined;
  readonly searched: readonly string[];
  /** Existing files that were not used because they are in a checkout. */
  readonly ignored: readonly string[];
  /** The entries of `clouds:` or `public-clouds:`, by name. */
  readonly clouds: PlainMap;
}

const MAX_ALIASES = 1000;
/** Maximum size of a file, in bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

const FILES = {
  clouds: { variable: "OS_CLIENT_CONFIG_FILE", key: "clouds" },
  secure: { variable: "OS_CLIENT_SECURE_FILE", key: "clouds" },
  "clouds-public": { variable: "OS_CLIENT_VENDOR_FILE", key: "public-clouds" },
} as const;

/** Name of the target, and the folder of `plumbline.yaml`. */
export interface CloudSearch {
  readonly name: string;
  readonly folder: string;
}

/**
 * Reads the first existing file, in the order of OpenStack's own tools. A file in a checkout is not used: a commit could send the
 * operator's password to another address.
 * @throws PlumblineError `clouds-file-in-checkout` if a variable names such a file, `clouds-file-unreadable`, `clouds-file-invalid`
 */
export async function readCloudFile(
  name: keyof typeof FILES,
  dependencies: OpenstackDependencies,
  { name: target, folder }: CloudSearch,
): Promise<CloudFile> {
  const { variable, key } = FILES[name];
  const named = dependencies.environment[variable];
  const searched = searchPath(name, named, dependencies);
  const checkouts = checkoutsOf(folder, dependencies.workingFolder);
  const ignored: string[] = [];
  for (const [index, path] of searched.entries()) {
    if (isInCheckout(path, checkouts)) {
      if (named && index === 0) throw inCheckout(path, variable, target);
      ignored.push(path);
      continue;
    }
    const text = await readIfThere(path, target);
    if (text === undefined) continue;
    const top = parse(text, path, target);
    const clouds = top.get(key);
    return { path, searched, ignored, clouds: clouds instanceof Map ? clouds : new Map() };
  }
  return { path: undefined, searched, ignored, clouds: new Map() };
}

function searchPath(name: string, named: string | undefined, { environment, home, workingFolder }: OpenstackDependencies): string[] {
  const user = environment.XDG_CONFIG_HOME || join(home, ".config");
  const folders = [workingFolder, join(user, "openstack"), join(home, ".config", "openstack"), "/etc/openstack"];
  const files = folders.flatMap((folder) => ["yaml", "yml", "json"].map((extension) => join(folder, `${name}.${extension}`)));
  return [...new Set([...(named ? [resolve(workingFolder, named)] : []), ...files])];
}

/** Returns the checkout of `plumbline.yaml`, and the working tree of the working folder, if any. */
function checkoutsOf(folder: string, workingFolder: string): readonly string[] {
  const found = [folder, workingFolder].filter((each) => existsSync(each)).map((each) => ({ each, root: checkoutRoot(each) }));
  return found.filter(({ each, root }) => each === folder || existsSync(join(root, ".git"))).map(({ root }) => root);
}

function isInCheckout(path: string, checkouts: readonly string[]): boolean {
  try {
    const real = realpathSync(path);
    return checkouts.some((root) => isBelow(root, real));
  } catch {
    return false;
  }
}

function inCheckout(file: string, variable: string, target: string): PlumblineError {
  return new PlumblineError("clouds-file-in-checkout", `${variable} names ${file}, which is in a checkout: a commit can change it`, {
    where: { file, target },
    next: `Let ${variable} name a file outside the checkout.`,
  });
}

async function readIfThere(path: string, target: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path, MOST_BYTES)).toString("utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new PlumblineError("clouds-file-unreadable", `${path} cannot be read (${whyUnread(error)})`, {
      where: { file: path, target },
      next: "Give this account the right to read the file, or name another one in OS_CLIENT_CONFIG_FILE.",
    });
  }
}

/** Parses YAML with all scalars as text. The parser's message is omitted, because it may contain a password. */
function parse(text: string, path: string, target: string): PlainMap {
  const document = parseDocument(text, { schema: "failsafe", merge: true, prettyErrors: false, logLevel: "silent" });
  const [fault] = document.errors;
  if (fault !== undefined) throw invalid(path, text, fault.pos[0], `is not valid YAML (${fault.code})`, target);
  const contents = document.contents;
  if (!isMap(contents) && !(contents === null || (isScalar(contents) && contents.value === "")))
    throw invalid(path, text, 0, "holds no map", target);
  try {
    return (document.toJS({ mapAsMap: true, maxAliasCount: MAX_ALIASES }) as PlainMap | null | "") || new Map();
  } catch {
    throw invalid(path, text, 0, "uses anchors that cannot be followed", target);
  }
}

function invalid(file: string, text: string, offset: number, what: string, target: string): PlumblineError {
  const line = text.slice(0, offset).split("\n").length;
  return new PlumblineError("clouds-file-invalid", `${file} ${what}`, {
    where: { file, line, target },
    next: "Correct the file; the openstack command reads it by the same rules.",
  });
}
