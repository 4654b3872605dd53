import { join, resolve } from "node:path";
import { watch } from "chokidar";
import { gitIn } from "../../engine/checkout/git.js";

const SETTLED = 200;

/**
 * Calls `onMove` when HEAD, a branch or a tag of a local repository moves. Uncommitted changes are ignored. Returns a function that stops
 * the watch. Does nothing if `folder` is not a repository.
 */
export async function watchCommits(folder: string, onMove: () => void): Promise<() => Promise<void>> {
  const { code, stdout } = await gitIn(folder)(["rev-parse", "--git-common-dir", "--absolute-git-dir"]);
  if (code !== 0) return async () => undefined;
  const [common = "", own = ""] = stdout.trimEnd().split("\n");
  const shared = resolve(folder, common);
  const places = ["HEAD", "packed-refs", join("refs", "heads"), join("refs", "tags")].map((name) => join(shared, name));
  const watcher = watch([...new Set([...places, join(own, "HEAD")])], { ignoreInitial: true, ignored: (path) => path.endsWith(".lock") });
  let timer: NodeJS.Timeout | undefined;
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(onMove, SETTLED);
  });
  watcher.on("error", () => undefined);
  await new Promise<void>((ready) => watcher.once("ready", ready));
  return async () => {
    clearTimeout(timer);
    await watcher.close();
  };
}
