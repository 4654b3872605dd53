import { createHash } from "node:crypto";
import { basename } from "node:path";
import { PlumblineError } from "../../core/errors.js";
import { canonicalText } from "../../core/tree/canonical.js";
import { loadDesired } from "../../desired/load.js";
import { folderIn } from "../../engine/pass/folder.js";
import type { Change } from "../../plan/diff/change.js";
import { createOnce } from "../api.js";
import type { CodeHost, PullRequest } from "../host.js";
import * as branches from "./branch.js";
import { type Candidate, candidatesOf, type Refused } from "./candidates.js";
import { commitMessage, description, titleOf } from "./format-proposal.js";
import { type DraftPlace, draft, type ProposalDraft } from "./proposal-draft.js";
import type { Survey } from "./survey.js";
import { configurationIn, quietly, unsettled } from "./verify.js";

export interface ProposeOptions {
  /** Undefined: creates a local branch and no pull request. */
  readonly host: CodeHost | undefined;
  /** Target branch. Undefined: the branch that is checked out, or else the default branch of the host. */
  readonly base: string | undefined;
}

export interface ProposeResult {
  /** `nothing`: no drift can be proposed. `known`: the same drift has a proposal already. */
  readonly done: "proposed" | "known" | "nothing";
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  readonly pullRequest: PullRequest | undefined;
  readonly accepted: readonly Candidate[];
  readonly refused: readonly Refused[];
}

/** Maximum number of rounds that drop failed edits and retry the rest. If the last one fails too, nothing is proposed. */
const ROUNDS = 5;

/**
 * Creates a branch that declares the live state, and a pull request for it. The name of the branch is derived from the drift, so that the
 * same drift is proposed once, even if the pull request is closed without a merge. All surveys share one checkout.
 */
export async function proposeDrift(surveys: readonly Survey[], options: ProposeOptions): Promise<ProposeResult> {
  const candidates = candidatesOf(surveys);
  const nothing = { branch: undefined, commit: undefined, pullRequest: undefined, accepted: [], refused: [] };
  const [first] = surveys;
  if (candidates.length === 0 || first === undefined) return { done: "nothing", ...nothing };
  const { root, head, remote } = repositoryOf(first, options);
  return await branches.inWorktree(root, head, async (worktree) => {
    const { accepted, refused } = await settle(surveys, candidates, worktree);
    if (accepted.length === 0) return { done: "nothing", ...nothing, refused };
    const digest = driftDigest(accepted);
    const branch = `plumbline/drift-${digest}`;
    const make = async () => {
      const commit = await branches.commitAll(worktree, commitMessage(accepted));
      if (commit === undefined) throw new Error("accepted changes changed no file");
      return commit;
    };
    const result = { branch, accepted, refused };
    if (options.host === undefined) {
      const known = await branches.localBranch(root, branch);
      if (known !== undefined) return { ...result, done: "known", commit: known, pullRequest: undefined };
      const commit = await make();
      await branches.makeLocalBranch(root, branch, commit);
      return { ...result, done: "proposed", commit, pullRequest: undefined };
    }
    return { ...result, ...(await publish(options.host, { root, remote, branch, make, ...options, accepted, refused, digest })) };
  });
}

interface Publication {
  readonly root: string;
  readonly remote: string;
  readonly branch: string;
  readonly base: string | undefined;
  readonly digest: string;
  readonly accepted: readonly Candidate[];
  readonly refused: readonly Refused[];
  make(): Promise<string>;
}

async function publish(host: CodeHost, publication: Publication): Promise<Pick<ProposeResult, "done" | "commit" | "pullRequest">> {
  const { root, remote, branch, make, accepted, refused, digest } = publication;
  const there = await branches.remoteBranch(root, remote, branch);
  const [newest] = await host.pullRequestsFrom(branch);
  if (newest !== undefined && newest.state !== "merged") return { done: "known", commit: there, pullRequest: newest };
  // A branch without a pull request is left over from an interrupted run.
  const again = there === undefined || newest?.state === "merged";
  const commit = again ? await make() : there;
  if (again) await branches.push(root, remote, branch, commit, there);
  const base = publication.base ?? (await branches.currentBranch(root)) ?? (await host.defaultBranch());
  const body = description(accepted, refused, digest);
  const pullRequest = await createOnce(
    () => host.openPullRequest({ branch, base, title: titleOf(accepted), body }),
    async () => (await host.pullRequestsFrom(branch)).find(({ state }) => state === "open"),
  );
  return { done: "proposed", commit, pullRequest };
}

/** Edits, loads and compares until all accepted edits remove their drift. */
async function settle(surveys: readonly Survey[], candidates: readonly Candidate[], worktree: string): Promise<ProposalDraft> {
  const [{ context } = { context: undefined }] = surveys;
  if (context === undefined) return { accepted: [], refused: [] };
  const { checkout, options } = context;
  const file = configurationIn(worktree, folderIn(checkout) ?? "", basename(options.configurationFile));
  const today = new Date(options.machine.now()).toISOString().slice(0, 10);
  const load = quietly({ environment: options.environment, kinds: options.kinds, today });
  const { filesByTarget } = await loadDesired(file, load);
  const place: DraftPlace = {
    folder: file.slice(0, -basename(file).length),
    files: filesByTarget,
    kinds: options.kinds,
    closed: await closedFiles(surveys),
  };
  const dropped: Refused[] = [];
  let wanted = candidates;
  for (let round = 1; ; round++) {
    const made = draft(wanted, place);
    const broken = await unsettled(made.accepted, file, load);
    if (broken.length === 0) return { accepted: made.accepted, refused: [...made.refused, ...dropped] };
    const out = new Set(broken.map(({ item }) => item));
    dropped.push(...broken);
    wanted = round === ROUNDS ? [] : wanted.filter(({ item }) => !out.has(item));
    if (round === ROUNDS)
      for (const { survey, item } of made.accepted)
        if (!out.has(item)) dropped.push({ survey, item, why: "edits of its file do not settle" });
    await branches.restore(worktree);
  }
}

/** Refuses files that were committed after the last apply. The live state lacks that commit, and a proposal would undo it. */
async function closedFiles(surveys: readonly Survey[]): Promise<DraftPlace["closed"]> {
  const changed = new Map<Survey, ReadonlySet<string> | undefined>();
  for (const survey of surveys) {
    const { checkout } = survey.context;
    const since = survey.applied === undefined || checkout.commit === undefined ? undefined : survey.applied;
    changed.set(survey, since === undefined ? undefined : await branches.changedSince(checkout.folder, since, checkout.commit ?? ""));
  }
  return (survey, file) =>
    changed.get(survey)?.has(file) === true
      ? `${file} was committed after the last apply (${survey.applied?.slice(0, 8) ?? ""}): reconcile first`
      : undefined;
}

function repositoryOf({ context }: Survey, { host }: ProposeOptions): { root: string; head: string; remote: string } {
  const { checkout } = context;
  const { root, commit, remote, dirty } = checkout;
  if (root === undefined || commit === undefined || (remote === undefined && host !== undefined)) {
    throw new PlumblineError(
      "proposal-not-possible",
      "A proposal is a branch, and this desired state is in no git repository that could have one.",
      {
        where: { file: checkout.folder },
        next: "Run in a clone with a remote; --no-push needs no remote, but a commit.",
      },
    );
  }
  if (dirty) {
    throw new PlumblineError(
      "proposal-not-possible",
      "The desired state has changes that are not committed, and a proposal starts from a commit.",
      {
        where: { file: checkout.folder },
        next: "Commit or stash them, then run again.",
      },
    );
  }
  return { root, head: commit, remote: remote ?? "" };
}

/**
 * Returns 12 hexadecimal digits of a SHA-256 that identify a drift. They depend only on the differences, not on their authors, their times
 * or the commit.
 */
function driftDigest(candidates: readonly Candidate[]): string {
  const rows = candidates.map(({ survey, item }) => JSON.stringify([survey.context.name, ...said(item.change, survey)]));
  return createHash("sha256").update(rows.sort().join("\n")).digest("hex").slice(0, 12);
}

function said(change: Change, { shape }: Candidate["survey"]): readonly unknown[] {
  const path = change.path.toString();
  switch (change.kind) {
    case "missing":
      return [change.kind, path];
    case "extra":
    case "unmanaged":
    case "differs": {
      const at = change.path
        .steps()
        .slice(1)
        .reduce((one, step) => one.child(step.tag), shape);
      return [change.kind, path, canonicalText(change.before, at)];
    }
    case "order":
      return [change.kind, path, change.before];
    case "renamed":
      return [change.kind, path, change.from, change.to];
  }
}
