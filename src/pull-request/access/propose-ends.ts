import { createHash } from "node:crypto";
import type { TargetContext } from "../../engine/pass/context.js";
import type { CleanupResult } from "../../outcome/cleanup.js";
import { codeSpan } from "../../report/markdown/text.js";
import type { CodeHost, PullRequest } from "../host.js";
import * as branches from "../propose/branch.js";
import { closeRequest, publish, type RequestPlace } from "../propose/publish.js";
import { repositoryOf } from "../propose/repository.js";
import { cleanupTexts } from "./propose-cleanup.js";
import { commitEdit, withoutMarkup } from "./propose-edit.js";

export interface EndsProposed {
  /** As in `ProposeResult`. */
  readonly done: "proposed" | "updated" | "known" | "edited" | "closed" | "nothing";
  readonly pullRequest: PullRequest | undefined;
}

interface EndsHost {
  readonly host: CodeHost;
  readonly base: string | undefined;
}

/**
 * Keeps one request that removes the ended rules of a target: opens it, updates it if other rules end, and closes it if none is left. A
 * request that a person closed without a merge is not opened again until the list changes.
 */
export async function proposeEnds(context: TargetContext, result: CleanupResult, { host, base }: EndsHost): Promise<EndsProposed> {
  const steps = result.rulebases.flatMap((each) => each.steps);
  // Without a check it is not known whether rules have ended, so an open request stays.
  if (steps.length === 0 && result.rulebases.some(({ isUnchecked }) => isUnchecked)) return { done: "nothing", pullRequest: undefined };
  const { root, head, remote } = repositoryOf(context.checkout, true);
  const place = await placeOf(context, { root, remote }, { host, base });
  if (steps.length === 0) {
    const name = codeSpan(context.name);
    const body = `The documents of ${name} contain no rule that has ended or ends soon, so Plumbline closes this request.`;
    const closed = await closeRequest(host, place, { name: "ends-gone", body });
    return closed ?? { done: "nothing", pullRequest: undefined };
  }
  // An edit that cannot be used leaves an open request as it is.
  if (result.files.length === 0) return { done: "nothing", pullRequest: undefined };
  const content = steps.map(({ action, kind, rule, member, until }) => [action, kind, rule, member, until]);
  const digest = createHash("sha256").update(JSON.stringify(content)).digest("hex").slice(0, 12);
  const { message, body } = cleanupTexts(context.name, result);
  const title = withoutMarkup(`Remove ended rules of ${context.name}`);
  const describe = (marker: string) =>
    `The last day of these rules or members is over, or at most one week away. **Merge** after the last day. To keep one, change its end date.\n\n${body}\n\n${marker}\n`;
  return await branches.inWorktree(root, head, async (worktree) => {
    const make = () => commitEdit(worktree, context, result.files, { title, message });
    return await publish(host, { ...place, digest, title, describe, make });
  });
}

async function placeOf(
  { owner, name }: TargetContext,
  { root, remote }: Pick<RequestPlace, "root" | "remote">,
  { host, base: wanted }: EndsHost,
): Promise<RequestPlace> {
  const base = wanted ?? (await branches.currentBranch(root)) ?? (await host.defaultBranch());
  const key = createHash("sha256").update(base).digest("hex").slice(0, 8);
  return { root, remote, base, branch: `plumbline/ends/${owner}/${name}-${key}` };
}
