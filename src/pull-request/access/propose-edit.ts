import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TargetContext } from "../../engine/pass/context.js";
import { folderIn } from "../../engine/pass/folder.js";
import type { FileEdit } from "../../outcome/access.js";
import { createOnce } from "../api.js";
import type { CodeHost, PullRequest } from "../host.js";
import * as branches from "../propose/branch.js";
import { repositoryOf } from "../propose/repository.js";

/** Edited documents of one target, with the texts of their pull request. */
export interface EditProposal {
  readonly context: TargetContext;
  /** Word for the branch: `allow`. */
  readonly kind: string;
  readonly files: readonly FileEdit[];
  /** Identifies the edit together with the target and the files. */
  readonly key: string;
  readonly title: string;
  /** Text of the commit after its title, in characters that no code host reads as a mention or a link. */
  readonly message: readonly string[];
  readonly body: string;
  /** Undefined: creates a local branch and no pull request. */
  readonly host: CodeHost | undefined;
  /** Target branch. Undefined: the branch that is checked out. */
  readonly base: string | undefined;
}

/** `known`: this edit was proposed before. */
export interface EditProposed {
  readonly done: "proposed" | "known";
  readonly branch: string;
  readonly pullRequest: PullRequest | undefined;
}

const LONGEST_TITLE = 100;

/** Commits the edit of the documents to a new branch and opens a pull request. The same edit is proposed once. */
export async function proposeEdit(proposal: EditProposal): Promise<EditProposed> {
  const { context, files, host, key, kind } = proposal;
  const { root, head, remote } = repositoryOf(context.checkout, host !== undefined);
  const digest = createHash("sha256")
    .update(JSON.stringify([context.name, key, files]))
    .digest("hex")
    .slice(0, 12);
  const branch = `plumbline/${kind}-${digest}`;
  return await branches.inWorktree(root, head, async (worktree) => {
    const make = () => commitEdit(worktree, context, files, { title: titleOf(proposal), message: proposal.message });
    if (host !== undefined) return await publish(host, { root, remote, branch, digest, make }, proposal);
    const known = await branches.localBranch(root, branch);
    if (known !== undefined) return { done: "known", branch, pullRequest: undefined };
    await branches.makeLocalBranch(root, branch, await make());
    return { done: "proposed", branch, pullRequest: undefined };
  });
}

/** Commits the edited documents in a worktree. Returns the commit. */
export async function commitEdit(
  worktree: string,
  { checkout }: Pick<TargetContext, "checkout">,
  files: readonly FileEdit[],
  { title, message }: { readonly title: string; readonly message: readonly string[] },
): Promise<string> {
  const folder = join(worktree, folderIn(checkout) ?? "");
  for (const { file, after } of files) await writeFile(join(folder, file), after);
  const made = await branches.commitAll(worktree, `${title}\n\n${message.join("\n")}\n`);
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
  proposal: EditProposal,
): Promise<EditProposed> {
  const [newest] = await host.pullRequestsFrom(branch);
  if (newest !== undefined && newest.state !== "merged") return { done: "known", branch, pullRequest: newest };
  // A branch without a pull request is left over from an interrupted run.
  const there = await branches.remoteBranch(root, remote, branch);
  if (there === undefined || newest?.state === "merged") await branches.push(root, remote, branch, await make(), there);
  const base = proposal.base ?? (await branches.currentBranch(root)) ?? (await host.defaultBranch());
  const body = `${proposal.body}\n\n<!-- plumbline:${proposal.kind}:${digest} -->\n`;
  const pullRequest = await createOnce(
    () => host.openPullRequest({ branch, base, title: titleOf(proposal), body }),
    async () => (await host.pullRequestsFrom(branch)).find(({ state }) => state === "open"),
  );
  return { done: "proposed", branch, pullRequest };
}

function titleOf({ title }: EditProposal): string {
  return title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE - 1)}…` : title;
}

/** Drops characters that a code host could read as a mention, a link or a keyword with an issue. */
export function withoutMarkup(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N} ._/:,>-]/gu, "");
}
