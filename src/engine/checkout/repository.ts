import { existsSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { withAncestorFolders } from "../../core/ancestor-folders.js";
import { readRegularFileSync } from "../../core/regular-file.js";

/** Settings of every git call. They override the configuration of the repository, the user and the system. */
export const SAFE_SETTINGS: readonly string[] = [
  "safe.bareRepository=explicit",
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "protocol.ext.allow=never",
  "submodule.recurse=false",
];

export interface Repository {
  /** Root of the working tree; undefined outside a repository. */
  readonly root: string | undefined;
  /** Arguments that name the repository to git. Outside a repository they name a folder that does not exist. */
  readonly arguments: readonly string[];
  /** Git refuses such a repository unless `safe.directory` names it. */
  readonly isOfAnotherUser: boolean;
}

/** Finds the `.git` of the working tree around `folder`. Does not accept a bare repository. */
export function findRepository(folder: string): Repository {
  const start = realPath(folder);
  for (const root of withAncestorFolders(start)) {
    const marker = join(root, ".git");
    const gitFolder = gitFolderOf(marker);
    if (gitFolder === undefined) continue;
    const isOfAnotherUser = [root, marker, gitFolder].some(belongsToAnotherUser);
    return { root, arguments: [`--git-dir=${marker}`, `--work-tree=${root}`], isOfAnotherUser };
  }
  return repositoryIn(folder);
}

/** Names the repository that would be in `folder` itself. */
export function repositoryIn(folder: string): Repository {
  const start = realPath(folder);
  return { root: undefined, arguments: [`--git-dir=${join(start, ".git")}`, `--work-tree=${start}`], isOfAnotherUser: false };
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

/** Maximum size of a `.git` file, in bytes. */
const MOST_BYTES = 65_536;

/** The git directory: `.git` itself, or the directory in a `.git` file of a linked working tree or submodule. Undefined if there is neither. */
function gitFolderOf(marker: string): string | undefined {
  try {
    if (statSync(marker).isDirectory()) return existsSync(join(marker, "HEAD")) ? marker : undefined;
    const text = readRegularFileSync(marker, MOST_BYTES).toString("utf8");
    return resolve(marker, "..", text.replace(/^gitdir: */, "").trimEnd());
  } catch {
    return undefined;
  }
}

/** Follows git's rule: root that was reached by `sudo` may use the repositories of the user who called it. */
function belongsToAnotherUser(path: string): boolean {
  const user = process.geteuid?.();
  if (user === undefined) return false;
  try {
    const { uid } = statSync(path);
    return uid !== user && !(user === 0 && String(uid) === process.env.SUDO_UID);
  } catch {
    return false;
  }
}

const DRIVER = /^((?:filter|merge)\..+)\.(clean|smudge|process|required|driver)$/;

/** The git arguments that list the names of all settings. */
export const configuredDrivers: readonly string[] = ["config", "--name-only", "-z", "--list"];

/** Returns git arguments that switch off every filter and replace every merge driver by git's own. */
export function withoutDrivers(names: string): string[] {
  const settings = names.split("\0").flatMap((name) => {
    const [, driver, key] = DRIVER.exec(name) ?? [];
    if (driver === undefined || driver.includes("=")) return [];
    if (key === "required") return [`${driver}.required=false`];
    return [key === "driver" ? `${driver}.driver=git merge-file --quiet %A %O %B` : `${driver}.${key}=`];
  });
  return [...new Set(settings)].flatMap((setting) => ["-c", setting]);
}
