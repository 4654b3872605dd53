import { basename } from "node:path";
import { PlumblineError } from "../core/errors.js";
import { loadDesired } from "../desired/load.js";
import { folderIn } from "../engine/pass/folder.js";
import { createOnce } from "./api.js";
import type { CodeHost, PullRequest } from "./host.js";
import * as branches from "./propose/branch.js";
import { type Candidate, candidatesOf, type Refused } from "./propose/candidates.js";
import { driftDigest } from "./propose/digest.js";
import { type DraftPlace, draft, type ProposalDraft } from "./propose/proposal-draft.js";
import type { Survey } from "./propose/survey.js";
import { configurationIn, quietly, unsettled } from "./propose/verify.js";
import { commitMessage, description, titleOf } from "./propose/words.js";

export interface ProposeOptions {
  /** Undefined leaves a local branch and opens nothing. */
  readonly host: CodeHost | undefined;
  /** Branch that the proposal is for; the one that is checked out, else the host's default, when undefined. */
  readonly base: string | undefined;
}

export interface ProposeResult {
  /** `nothing`: no drift can be proposed. `known`: the same drift was proposed before. */
  readonly done: "proposed" | "known" | "nothing";
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  readonly pullRequest: PullRequest | undefined;
  readonly accepted: readonly Candidate[];
  readonly refused: readonly Refused[];
}

/** Edits that break a file are left out and the rest is tried again, so often at most. */
const ROUNDS = 5;

/**
 * Turns drift into a branch that says what is live, and a pull request for it. The branch's name comes from the drift, so
 * the same drift is proposed once; a proposal that somebody closed is not made again. All surveys are of one checkout.
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
  // A branch without a pull request is what a run that was stopped in between has left.
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

/** Edits, loads and compares until what is accepted is settled. */
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

/** A file that was committed after the last apply says what is wanted and not there yet: to take live over would undo the commit. */
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
