import { realpathSync } from "node:fs";
import { basename, join, posix, relative, resolve } from "node:path";
import { PlumblineError } from "../core/errors.js";
import { isBelow } from "../desired/commands.js";
import { readAgent } from "../desired/configuration/agent.js";
import type { Configuration } from "../desired/configuration/configuration.js";
import type { RightSettings } from "../desired/configuration/page-settings.js";
import { parseConfigurationText } from "../desired/configuration/read.js";
import type { KindRegistry } from "../desired/kind.js";
import type { Checkout } from "./checkout/checkout.js";
import { type Git, gitIn } from "./checkout/git.js";
import { folderIn } from "./pass/folder.js";
import type { AllowedSigners } from "./ssh-signature.js";

/** Settings that decide whether a plan needs an approval, and who may approve it. */
export interface ApprovalSettings {
  isRequired(target: string): boolean;
  readonly rights: readonly RightSettings[];
  allowedSigners(): Promise<AllowedSigners | undefined>;
}

/** The same places as in ci/plan.sh. A commit that moves its plumbline.yaml stays bound to the target branch. */
const USUAL = ["plumbline.yaml", "desired-state/plumbline.yaml"];

/**
 * Returns the settings for approvals of a one-shot run. In a repository with a remote they come from its target branch, because the author of
 * a commit can change the checkout. The target branch is the default branch of the remote, or the branch that its `agent.source.branch`
 * names. Without a remote, the checkout is the only source.
 * @throws PlumblineError `approval-branch-unknown`, `approval-branch-invalid` (refused)
 */
export async function approvalSettings(
  { agent, targets, file }: Configuration,
  checkout: Checkout,
  kinds: KindRegistry,
): Promise<ApprovalSettings> {
  const { root, remote } = checkout;
  const git = gitIn(checkout.folder);
  if (root === undefined || remote === undefined) {
    const { signatures } = agent.source;
    return {
      isRequired: (target) => targets.get(target)?.approve === "required",
      rights: agent.page.rights,
      allowedSigners: async () => asFile(signatures?.allowedSigners ?? (await allowedSignersOfGit(git, checkout.folder))),
    };
  }
  const folder = folderIn(checkout) ?? "";
  const paths = [...new Set([posix.join(folder, basename(file)), ...USUAL])];
  const head = `refs/remotes/${remote}/HEAD`;
  const atHead = await configurationAt(head);
  const { branch } = atHead.agent.source;
  const ref = branch === undefined ? head : `refs/remotes/${remote}/${branch}`;
  const there = branch === undefined ? atHead : await configurationAt(ref);
  return {
    isRequired: (target) => there.targets[target]?.approve === "required",
    rights: there.agent.page.rights,
    allowedSigners: async () => {
      const setting = there.agent.source.signatures?.allowedSigners ?? (await allowedSignersOfGit(git, root));
      const path = setting === undefined ? undefined : realOf(setting);
      if (path === undefined || !isBelow(realOf(root), path)) return asFile(setting);
      const text = await textAt(git, ref, posixPath(relative(realOf(root), path)));
      return text === undefined ? undefined : { text };
    },
  };

  async function configurationAt(ref: string) {
    for (const path of paths) {
      const text = await textAt(git, ref, path);
      if (text === undefined) continue;
      const at = join(root ?? "", path);
      try {
        const { text: parsed } = await parseConfigurationText(at, text, kinds);
        return { targets: parsed.targets, agent: readAgent(parsed.agent ?? {}, join(at, "..")) };
      } catch (cause) {
        throw invalid(path, ref, cause);
      }
    }
    throw unknown(ref, paths, remote ?? "");
  }
}

/** Returns the text of a file at a ref. Undefined if the ref or the file does not exist. */
async function textAt(git: Git, ref: string, path: string): Promise<string | undefined> {
  const { code, stdout } = await git(["cat-file", "blob", `${ref}:${path}`]);
  return code === 0 ? stdout : undefined;
}

/** Git allows a path relative to the root of the repository. */
async function allowedSignersOfGit(git: Git, root: string): Promise<string | undefined> {
  const { stdout } = await git(["config", "--path", "--get", "gpg.ssh.allowedSignersFile"]);
  return stdout.trim() === "" ? undefined : resolve(root, stdout.trim());
}

function asFile(file: string | undefined): AllowedSigners | undefined {
  return file === undefined ? undefined : { file };
}

/** Returns the path without symbolic links. A missing file has none. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function posixPath(path: string): string {
  return path.replaceAll("\\", "/");
}

function unknown(ref: string, paths: readonly string[], remote: string): PlumblineError {
  return new PlumblineError(
    "approval-branch-unknown",
    `Plumbline cannot read who may approve plans: there is no ${paths.join(" or ")} at ${ref}.`,
    {
      next: `Run \`git remote set-branches ${remote} '*'\`, \`git fetch ${remote}\` and \`git remote set-head ${remote} --auto\`, then run again.`,
      severity: "refused",
    },
  );
}

function invalid(path: string, ref: string, cause: unknown): PlumblineError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PlumblineError(
    "approval-branch-invalid",
    `Plumbline cannot read who may approve plans: ${path} at ${ref} is not valid: ${why}`,
    {
      next: "Correct the file on that branch, or use the version of Plumbline for which it was written, then fetch and run again.",
      severity: "refused",
      cause,
    },
  );
}
