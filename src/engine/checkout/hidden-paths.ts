import type { HiddenPath } from "../../desired/files.js";
import { gitIn } from "./git.js";

const SUBMODULE_MODE = "160000";

export interface TrackedFile {
  /** Mode in the tree of git, such as `100644`. */
  readonly mode: string;
  readonly path: string;
}

/** Parses the output of `git ls-tree -z` and `git ls-files --stage -z`. */
export function parseTracked(output: string): TrackedFile[] {
  return output.split("\0").flatMap((line) => {
    const tab = line.indexOf("\t");
    return tab < 0 ? [] : [{ mode: line.slice(0, line.indexOf(" ")), path: line.slice(tab + 1) }];
  });
}

/** Returns the tracked paths below `folder` that a working tree may lack although git tracks them, relative to `folder`. */
export function hiddenPaths(tracked: readonly TrackedFile[], folder: string): HiddenPath[] {
  const prefix = folder === "" ? "" : `${folder}/`;
  const spellings = new Map<string, Set<string>>();
  const submodules: HiddenPath[] = [];
  for (const { mode, path } of tracked) {
    if (!path.startsWith(prefix)) continue;
    const name = path.slice(prefix.length);
    if (mode === SUBMODULE_MODE) submodules.push({ name, kind: "submodule" });
    const key = path.normalize("NFC").toLowerCase();
    const known = spellings.get(key);
    if (known === undefined) spellings.set(key, new Set([name]));
    else known.add(name);
  }
  const colliding = [...spellings.values()].flatMap((names) => (names.size > 1 ? [...names].sort() : []));
  return [...submodules, ...colliding.map((name): HiddenPath => ({ name, kind: "name-collision" }))];
}

/** Returns the same for the index of the working tree around `folder`. Empty outside a repository. */
export async function hiddenPathsBelow(folder: string): Promise<HiddenPath[]> {
  const { code, stdout } = await gitIn(folder)(["ls-files", "--stage", "-z", "--", "."]);
  return code === 0 ? hiddenPaths(parseTracked(stdout), "") : [];
}
