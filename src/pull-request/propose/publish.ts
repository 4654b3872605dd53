import { createOnce } from "../api.js";
import { keepComment } from "../comment.js";
import type { CodeHost, PullRequest } from "../host.js";
import * as branches from "./branch.js";

/** Branch of the only request for the drift of a target, and the branch to merge it into. */
export interface RequestPlace {
  readonly root: string;
  readonly remote: string;
  readonly branch: string;
  readonly base: string;
}

interface Publication extends RequestPlace {
  /** Identifies the content of the request. */
  readonly digest: string;
  readonly title: string;
  /** Returns the text of the request with a hidden marker. */
  describe(marker: string): string;
  /** Creates the commit of the proposal. */
  make(): Promise<string>;
}

/**
 * - `known`: the same drift has a request already, or had one that a person closed.
 * - `edited`: the branch has commits of another author, which are not overwritten.
 */
interface Published {
  readonly done: "proposed" | "updated" | "known" | "edited";
  readonly commit: string | undefined;
  readonly pullRequest: PullRequest;
}

/** Opens the request of a target, or updates the open one if its content has changed. */
export async function publish(host: CodeHost, publication: Publication): Promise<Published> {
  const { root, remote, branch, base, make, title, describe, digest } = publication;
  const tip = await branches.remoteBranch(root, remote, branch);
  const all = await host.pullRequestsFrom(branch);
  const known = all.find(isOpen) ?? all[0];
  if (known !== undefined && known.state !== "merged") {
    const marker = readMarker(known.body);
    if (known.state === "open" && isEdited(tip, known)) return { done: "edited", commit: tip, pullRequest: known };
    const isSame = marker.drift === digest && (known.state === "closed" || (tip !== undefined && tip === marker.commits.at(-1)));
    if (isSame) return { done: "known", commit: tip, pullRequest: known };
    if (known.state === "open") {
      const commit = await make();
      // The description names both commits until the next update, so that an interruption before the push is no edit by another author.
      const body = describe(formatMarker(digest, [...(tip === undefined ? [] : [tip]), commit]));
      const pullRequest = await host.updatePullRequest(known.number, { title, body });
      await branches.push(root, remote, branch, commit, tip);
      return { done: "updated", commit, pullRequest };
    }
  }
  const commit = await make();
  await branches.push(root, remote, branch, commit, tip);
  const body = describe(formatMarker(digest, [commit]));
  const pullRequest = await createOnce(
    () => host.openPullRequest({ branch, base, title, body }),
    async () => (await host.pullRequestsFrom(branch)).find(isOpen),
  );
  return { done: "proposed", commit, pullRequest };
}

/** Closes the open request of a target that has nothing to propose any longer, with a comment, and deletes its branch. Undefined if none is open. */
export async function closeRequest(
  host: CodeHost,
  { root, remote, branch }: RequestPlace,
  comment: { readonly name: string; readonly body: string },
): Promise<{ readonly done: "closed" | "edited"; readonly pullRequest: PullRequest } | undefined> {
  const open = (await host.pullRequestsFrom(branch)).find(isOpen);
  if (open === undefined) return undefined;
  const tip = await branches.remoteBranch(root, remote, branch);
  if (isEdited(tip, open)) return { done: "edited", pullRequest: open };
  await keepComment(host, { pullRequest: open.number, ...comment });
  // Without the digest, the same drift is proposed again if it returns.
  const pullRequest = await host.closePullRequest(open.number, open.body.replace(MARKER, formatMarker("gone", [])));
  if (tip !== undefined) await branches.removeRemote(root, remote, branch, tip);
  return { done: "closed", pullRequest };
}

function isOpen({ state }: PullRequest): boolean {
  return state === "open";
}

/** Returns whether the branch has a commit that no proposal has pushed. */
function isEdited(tip: string | undefined, { body }: PullRequest): boolean {
  return tip !== undefined && !readMarker(body).commits.includes(tip);
}

const MARKER = /<!-- plumbline:drift:([0-9a-z]+)((?: [0-9a-f]{40,64})*) -->/;

/** Hidden text in the description: the drift, and the commits that the branch of the request can have. */
function formatMarker(drift: string, commits: readonly string[]): string {
  return `<!-- plumbline:drift:${[drift, ...commits].join(" ")} -->`;
}

function readMarker(body: string): { readonly drift: string | undefined; readonly commits: readonly string[] } {
  const [, drift, commits = ""] = MARKER.exec(body) ?? [];
  return { drift, commits: commits.split(" ").filter((commit) => commit !== "") };
}
