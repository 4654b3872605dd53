import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { KindRegistry } from "../desired/kind.js";
import { loadDesired } from "../desired/load.js";
import type { LoadedDesired } from "../desired/loaded.js";
import type { DesiredTarget } from "../desired/model.js";
import { type Checkout, descends } from "./checkout/checkout.js";
import { gitIn } from "./checkout/git.js";

export interface AcceptedHistoryOptions {
  readonly checkout: Checkout;
  /** Absolute path of `plumbline.yaml` in the checkout. */
  readonly configurationFile: string;
  readonly kinds: KindRegistry;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** yyyy-mm-dd, for `until:` of ignores. */
  readonly today: string;
  /** Further rules for commits, such as signatures. By default each ancestor of the checked-out commit is accepted. */
  readonly accepts?: ((commit: string) => Promise<boolean>) | undefined;
}

/** The desired state at a former commit, or the reason why it does not count. */
export type FormerState = { readonly desired: DesiredTarget | undefined } | { readonly why: string };

const SHA = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/**
 * The desired state at commits that were accepted: ancestors of the checked-out commit. Whoever may push the ledger ref can
 * write any row, so a row is proven by the documents at the commit that it names, not by the ledger alone.
 */
export class AcceptedHistory {
  readonly #options: AcceptedHistoryOptions;
  readonly #loads = new Map<string, Promise<LoadedDesired | string>>();

  constructor(options: AcceptedHistoryOptions) {
    this.#options = options;
  }

  /** Returns the same history with a further rule for commits. */
  requiring(accepts: (commit: string) => Promise<boolean>): AcceptedHistory {
    return new AcceptedHistory({ ...this.#options, accepts });
  }

  /** Returns the desired state of `target` at `commit`. Each commit is loaded once. Secrets are not resolved. */
  async at(commit: string, target: string): Promise<FormerState> {
    const loading = this.#loads.get(commit) ?? this.#load(commit);
    this.#loads.set(commit, loading);
    const loaded = await loading;
    return typeof loaded === "string" ? { why: loaded } : { desired: loaded.targets.get(target) };
  }

  async #load(commit: string): Promise<LoadedDesired | string> {
    const { checkout, accepts, configurationFile, kinds, environment, today } = this.#options;
    const { root, folder, commit: head } = checkout;
    const short = commit.slice(0, 12);
    if (root === undefined || head === undefined || !SHA.test(commit)) return `${short} is not a commit`;
    if (!(await descends(folder, commit, head))) return `commit ${short} is not in the history of ${head.slice(0, 12)}`;
    if (accepts !== undefined && !(await accepts(commit))) return `commit ${short} was not accepted`;
    const files = await realpath(await mkdtemp(join(tmpdir(), "plumbline-history-")));
    try {
      if (!(await extract(root, commit, files))) return `the files of commit ${short} cannot be read`;
      const file = join(files, "tree", relative(await realpath(root), await realpath(configurationFile)));
      return await loadDesired(file, { environment, kinds, today, resolveSecrets: false });
    } catch {
      return `the documents of commit ${short} cannot be loaded`;
    } finally {
      await rm(files, { recursive: true, force: true });
    }
  }
}

/** Writes the files of a commit to `into/tree`, without touching the index or the files of the checkout. */
async function extract(root: string, commit: string, into: string): Promise<boolean> {
  const tree = join(into, "tree");
  const git = gitIn(root, { environment: { GIT_INDEX_FILE: join(into, "index") } });
  await mkdir(tree);
  return (await git([`--work-tree=${tree}`, "read-tree", "--no-sparse-checkout", "--reset", "-u", commit])).code === 0;
}
