import { PlumblineError } from "../../core/errors.js";
import type { Checkout } from "../../engine/checkout/checkout.js";

/**
 * Returns the repository that a proposal starts from.
 *
 * @throws PlumblineError `proposal-not-possible` without a commit, with uncommitted changes, or without a remote to push to
 */
export function repositoryOf(checkout: Checkout, isPushed: boolean): { root: string; head: string; remote: string } {
  const { root, commit, remote, dirty } = checkout;
  if (root === undefined || commit === undefined || (remote === undefined && isPushed)) {
    throw new PlumblineError("proposal-not-possible", "A proposal is a branch, and the desired state is not in a git repository.", {
      where: { file: checkout.folder },
      next: "Run in a clone with a remote; --no-push needs no remote, but a commit.",
    });
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
