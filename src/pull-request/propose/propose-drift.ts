import { createHash } from "node:crypto";
import { basename } from "node:path";
import { dayOf } from "../../core/day.js";
import { canonicalText } from "../../core/tree/canonical.js";
import { loadDesired } from "../../desired/load.js";
import { folderIn } from "../../engine/pass/folder.js";
import type { Change } from "../../plan/diff/change.js";
import type { CodeHost, PullRequest } from "../host.js";
import * as branches from "./branch.js";
import { type Candidate, candidatesOf, type Refused } from "./candidates.js";
import { commitMessage, description, missingTargetText, titleOf } from "./format-proposal.js";
import { type DraftPlace, draft, type ProposalDraft } from "./proposal-draft.js";
import { closeRequest, publish, type RequestPlace } from "./publish.js";
import { repositoryOf } from "./repository.js";
import type { Survey } from "./survey.js";
import { configurationIn, quietly, unsettled } from "./verify.js";

export interface ProposeOptions {
  readonly host: CodeHost;
  /** Target branch. Undefined: the branch that is checked out, or else the default branch of the host. */
  readonly base: string | undefined;
}

export interface ProposeResult {
  /**
   * - `nothing`: no drift can be proposed. - `known`: the same drift has a proposal already. - `updated`: the open request now has the
   * changed drift. - `edited`: the branch has commits of another author and is not changed. - `closed`: the drift is gone.
   */
  readonly done: "proposed" | "updated" | "known" | "edited" | "closed" | "nothing";
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  readonly pullRequest: PullRequest | undefined;
  readonly accepted: readonly Candidate[];
  readonly refused: readonly Refused[];
}

/** Maximum number of rounds that drop failed edits and retry the rest. If the last one fails too, nothing is proposed. */
const ROUNDS = 5;

/** Creates a local branch that declares the live state. Its name is derived from the drift. All surveys share one checkout. */
export async function proposeLocally(surveys: readonly Survey[]): Promise<ProposeResult> {
  const [first] = surveys;
  const candidates = candidatesOf(surveys);
  if (candidates.length === 0 || first === undefined) return NOTHING;
  const { root, head } = repositoryOf(first.context.checkout, false);
  return await withDraft(surveys, candidates, { root, head }, async ({ make, digest, ...draft }) => {
    const branch = `plumbline/drift-${digest}`;
    const known = await branches.localBranch(root, branch);
    if (known !== undefined) return { ...draft, branch, done: "known", commit: known, pullRequest: undefined };
    const commit = await make();
    await branches.makeLocalBranch(root, branch, commit);
    return { ...draft, branch, done: "proposed", commit, pullRequest: undefined };
  });
}

/**
 * Keeps one request for the drift of a target: opens it, updates it if the drift changes, and closes it if the drift is gone. A drift that a
 * person closed without a merge is not proposed again until it changes.
 */
export async function proposeDrift(survey: Survey, { host, base }: ProposeOptions): Promise<ProposeResult> {
  const candidates = candidatesOf([survey]);
  if (candidates.length === 0) return await closeIfMissing(survey, { host, base });
  const { root, head, remote } = repositoryOf(survey.context.checkout, true);
  return await withDraft([survey], candidates, { root, head }, async ({ make, digest, ...draft }) => {
    const place = await placeOf(survey, { root, remote }, { host, base });
    const { accepted, refused } = draft;
    const describe = (marker: string) => description(accepted, refused, marker);
    const published = await publish(host, { ...place, title: titleOf(accepted), describe, make, digest });
    return { ...draft, branch: place.branch, ...published };
  });
}

/** Returns the branch of the request for a target. */
async function placeOf(
  { context: { owner, name, options } }: Survey,
  { root, remote }: Pick<RequestPlace, "root" | "remote">,
  { host, base: wanted }: ProposeOptions,
): Promise<RequestPlace> {
  const base = wanted ?? (await branches.currentBranch(root)) ?? (await host.defaultBranch());
  // A run with --path sees a part of the drift, and another branch has other documents.
  const key = createHash("sha256")
    .update(JSON.stringify([base, options.selection.only?.toString()]))
    .digest("hex")
    .slice(0, 8);
  return { root, remote, base, branch: `plumbline/drift/${owner}/${name}-${key}` };
}

/** Uncommitted documents and a target that was not compared completely do not prove that the drift is gone. */
async function closeIfMissing(survey: Survey, options: ProposeOptions): Promise<ProposeResult> {
  const { checkout, name } = survey.context;
  const { root, remote, dirty } = checkout;
  if (root === undefined || remote === undefined || dirty || !survey.isCompared) return NOTHING;
  const place = await placeOf(survey, { root, remote }, options);
  const closed = await closeRequest(options.host, place, { name: "drift-gone", body: missingTargetText(name) });
  return closed === undefined ? NOTHING : { ...NOTHING, ...closed, branch: place.branch };
}

const NOTHING: ProposeResult = { done: "nothing", branch: undefined, commit: undefined, pullRequest: undefined, accepted: [], refused: [] };

interface Draft extends ProposalDraft {
  readonly digest: string;
  make(): Promise<string>;
}

/** Calls `work` with the edited files in a temporary working tree, if any difference can be proposed. */
async function withDraft(
  surveys: readonly Survey[],
  candidates: readonly Candidate[],
  { root, head }: { readonly root: string; readonly head: string },
  work: (draft: Draft) => Promise<ProposeResult>,
): Promise<ProposeResult> {
  return await branches.inWorktree(root, head, async (worktree) => {
    const { accepted, refused } = await settle(surveys, candidates, worktree);
    if (accepted.length === 0) return { ...NOTHING, refused };
    const make = async () => {
      const commit = await branches.commitAll(worktree, commitMessage(accepted));
      if (commit === undefined) throw new Error("accepted changes changed no file");
      return commit;
    };
    return await work({ accepted, refused, make, digest: driftDigest(accepted) });
  });
}

/** Edits, loads and compares until all accepted edits remove their drift. */
async function settle(surveys: readonly Survey[], candidates: readonly Candidate[], worktree: string): Promise<ProposalDraft> {
  const [{ context } = { context: undefined }] = surveys;
  if (context === undefined) return { accepted: [], refused: [] };
  const { checkout, options } = context;
  const file = configurationIn(worktree, folderIn(checkout) ?? "", basename(options.source.configurationFile));
  const today = dayOf(options.machine.now());
  const load = quietly({ environment: options.source.environment, kinds: options.source.kinds, today });
  const { filesByTarget } = await loadDesired(file, load);
  const place: DraftPlace = {
    folder: file.slice(0, -basename(file).length),
    files: filesByTarget,
    kinds: options.source.kinds,
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

/**
 * Returns 12 hexadecimal digits of a SHA-256 that identify a drift. They depend only on the differences, not on their authors, their times
 * or the commit.
 */
function driftDigest(candidates: readonly Candidate[]): string {
  const rows = candidates.map(({ survey, item }) => JSON.stringify([survey.context.name, ...proposedContent(item.change, survey)]));
  return createHash("sha256").update(rows.sort().join("\n")).digest("hex").slice(0, 12);
}

function proposedContent(change: Change, { shape }: Candidate["survey"]): readonly unknown[] {
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
