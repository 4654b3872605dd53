import { dirname } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import { gitIn } from "./git.js";

/**
 * Refuses tracked files that make a folder look like a bare repository (`HEAD`, `objects/` and `refs/`). Plumbline never uses
 * such a folder as a repository, but git, editors and shell prompts do, and then run commands that its `config` names.
 * @param files Tracked files, relative to the root of the repository.
 * @throws PlumblineError `repository-in-commit`
 */
export function refuseRepositoryInCommit(files: readonly string[]): void {
  const folders = new Set(files.flatMap(foldersOf).map((folder) => folder.toLowerCase()));
  for (const file of files) {
    if (!/(?:^|\/)head$/i.test(file)) continue;
    const folder = dirname(file);
    const prefix = folder === "." ? "" : `${folder.toLowerCase()}/`;
    if (!folders.has(`${prefix}objects`) || !folders.has(`${prefix}refs`)) continue;
    throw new PlumblineError("repository-in-commit", "This folder contains HEAD, objects/ and refs/, so git treats it as a repository.", {
      where: { file: folder },
      next: "Git runs commands that the config file of such a folder names. Remove the folder from the commit, or rename its files.",
    });
  }
}

/** The same for the working tree around `folder`. Has no effect outside a repository. */
export async function refuseRepositoryBelow(folder: string): Promise<void> {
  const { code, stdout } = await gitIn(folder)(["ls-files", "-z", "--full-name", "--", ":/"]);
  if (code === 0) refuseRepositoryInCommit(stdout.split("\0").filter((file) => file !== ""));
}

function foldersOf(file: string): string[] {
  const parts = file.split("/");
  return parts.slice(1).map((_, count) => parts.slice(0, count + 1).join("/"));
}
