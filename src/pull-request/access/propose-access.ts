import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TargetContext } from "../../engine/pass/context.js";
import { folderIn } from "../../engine/pass/folder.js";
import type { AccessAnswer, AccessDesign, AccessResult, AccessWords } from "../../outcome/access.js";
import { codeSpan, prose } from "../../report/markdown/text.js";
import { createOnce } from "../api.js";
import type { CodeHost, PullRequest } from "../host.js";
import * as branches from "../propose/branch.js";
import { repositoryOf } from "../propose/repository.js";

export interface AccessProposal {
  readonly context: TargetContext;
  readonly result: AccessResult;
  readonly note: string;
  /** Number of the used design of a single request, from 1. */
  readonly chosen: number;
  /** Undefined: creates a local branch and no pull request. */
  readonly host: CodeHost | undefined;
  /** Target branch. Undefined: the branch that is checked out. */
  readonly base: string | undefined;
}

/** Maximum number of requests in the text of a pull request. */
const SHOWN = 50;
const LONGEST_TITLE = 100;

/** `known`: this edit was proposed before. */
export interface AccessProposed {
  readonly done: "proposed" | "known";
  readonly branch: string;
  readonly pullRequest: PullRequest | undefined;
}

/** Commits the edit of the documents to a new branch and opens a pull request. The same edit is proposed once. */
export async function proposeAccess(proposal: AccessProposal): Promise<AccessProposed> {
  const { context, result, host, note } = proposal;
  const { root, head, remote } = repositoryOf(context.checkout, host !== undefined);
  const digest = createHash("sha256")
    .update(JSON.stringify([context.name, note, result.files]))
    .digest("hex")
    .slice(0, 12);
  const branch = `plumbline/allow-${digest}`;
  return await branches.inWorktree(root, head, async (worktree) => {
    const make = () => commit(proposal, worktree);
    if (host !== undefined) return await publish(host, { root, remote, branch, digest, make }, proposal);
    const known = await branches.localBranch(root, branch);
    if (known !== undefined) return { done: "known", branch, pullRequest: undefined };
    await branches.makeLocalBranch(root, branch, await make());
    return { done: "proposed", branch, pullRequest: undefined };
  });
}

async function commit(proposal: AccessProposal, worktree: string): Promise<string> {
  const folder = join(worktree, folderIn(proposal.context.checkout) ?? "");
  for (const { file, after } of proposal.result.files) await writeFile(join(folder, file), after);
  const made = await branches.commitAll(worktree, `${titleOf(proposal)}\n\n${plainLines(proposal).join("\n")}\n`);
  if (made === undefined) throw new Error("the edit changed no file");
  return made;
}

interface PublishPlace {
  readonly root: string;
  readonly remote: string;
  readonly branch: string;
  readonly digest: string;
  make(): Promise<string>;
}

async function publish(
  host: CodeHost,
  { root, remote, branch, digest, make }: PublishPlace,
  proposal: AccessProposal,
): Promise<AccessProposed> {
  const [newest] = await host.pullRequestsFrom(branch);
  if (newest !== undefined && newest.state !== "merged") return { done: "known", branch, pullRequest: newest };
  // A branch without a pull request is left over from an interrupted run.
  const there = await branches.remoteBranch(root, remote, branch);
  if (there === undefined || newest?.state === "merged") await branches.push(root, remote, branch, await make(), there);
  const base = proposal.base ?? (await branches.currentBranch(root)) ?? (await host.defaultBranch());
  const pullRequest = await createOnce(
    () => host.openPullRequest({ branch, base, title: titleOf(proposal), body: bodyOf(proposal, digest) }),
    async () => (await host.pullRequestsFrom(branch)).find(({ state }) => state === "open"),
  );
  return { done: "proposed", branch, pullRequest };
}

function designed({ result }: AccessProposal): readonly AccessAnswer[] {
  return result.answers.filter(({ state }) => state === "designed");
}

function titleOf(proposal: AccessProposal): string {
  const [first, ...others] = designed(proposal);
  const what = first === undefined ? "" : plainText(first.request);
  const title = others.length === 0 ? `Allow ${what}` : `Allow ${others.length + 1} access requests on ${plain(proposal.context.name)}`;
  return title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE - 1)}…` : title;
}

function plainLines(proposal: AccessProposal): string[] {
  const answers = designed(proposal);
  const lines = answers.slice(0, SHOWN).map((answer) => `- ${plainText(answer.request)}: ${plain(summaryOf(answer, proposal))}`);
  const more = answers.length > SHOWN ? [`- and ${answers.length - SHOWN} more`] : [];
  return [plain(proposal.note), "", ...lines, ...more];
}

/** The design that the edit uses. */
function usedDesign({ designs }: AccessAnswer, { chosen, result }: AccessProposal): AccessDesign | undefined {
  return designs[result.answers.length === 1 ? chosen - 1 : 0];
}

function summaryOf(answer: AccessAnswer, proposal: AccessProposal): string {
  return usedDesign(answer, proposal)?.summary ?? "";
}

/** Returns what the edit opens, as far as the proof of each design states it. */
function effectOf(used: readonly AccessDesign[]): string {
  if (used.some(({ excess }) => excess.length > 0)) return "**This edit opens more than the request.**";
  return used.some(({ isPartial }) => isPartial)
    ? "The plan of this commit opens only requested flows, and closes none. Other rules may still deny some of them."
    : "The plan of this commit opens exactly the requested flows, and closes none.";
}

/** Question, current answer, design, difference and alternatives. */
function bodyOf(proposal: AccessProposal, digest: string): string {
  const answers = designed(proposal);
  const single = answers.length === 1 ? answers[0] : undefined;
  const out = [`Reason: ${prose(proposal.note, 400)}`, ""];
  for (const answer of answers.slice(0, SHOWN)) {
    out.push(`- ${codeSpan(requestText(answer.request))}`, `  - ${codeSpan(summaryOf(answer, proposal))}`);
    const rules = [...new Set((answer.now?.answers ?? []).map(({ rule, verdict }) => `${verdict} by ${rule}`))];
    if (single !== undefined) out.push(`  - before: ${rules.map(codeSpan).join(", ")}`);
  }
  if (answers.length > SHOWN) out.push(`- and ${answers.length - SHOWN} more`);
  const used = answers.flatMap((answer) => usedDesign(answer, proposal) ?? []);
  const chosen = single === undefined ? undefined : used[0];
  out.push("", effectOf(used));
  for (const text of chosen?.notes ?? []) out.push(`- ${prose(text, 300)}`);
  const others = single === undefined ? [] : single.designs.filter((design) => design !== chosen);
  if (others.length > 0) {
    out.push("", "Alternatives:", "");
    for (const { summary, excess } of others)
      out.push(`- ${codeSpan(summary)}: ${excess.length === 0 ? "exact" : "opens more than the request"}`);
  }
  return `${out.join("\n")}\n\n<!-- plumbline:allow:${digest} -->\n`;
}

function requestText({ from, to, service, application, fromZone, toZone }: AccessWords): string {
  return `${from} (${fromZone}) > ${to} (${toZone}) ${service} ${application}`;
}

function plainText({ from, to, service, application }: AccessWords): string {
  return `${plain(from)} > ${plain(to)} ${plain(service)} ${plain(application)}`;
}

/** Drops characters that a code host could read as a mention, a link or a keyword with an issue. */
function plain(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ._/:,>-]/gu, "");
}
