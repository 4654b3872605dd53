import type { Checkout } from "../checkout/checkout.js";

/** Names of differing files that a warning has room for. */
const SHOWN = 3;

/** Warnings for a desired state outside of a commit: a file may be truncated or missing. */
export function treeWarnings({ root, commit, differing }: Checkout): string[] {
  if (root === undefined) return ["the desired state is not in a git repository, so missing files cannot be detected"];
  if (differing.length === 0) return [];
  const more = differing.length > SHOWN ? ` and ${differing.length - SHOWN} more` : "";
  return [
    `uncommitted changes in ${differing.slice(0, SHOWN).join(", ")}${more}${commit === undefined ? "" : ` (since commit ${commit.slice(0, 8)})`}`,
  ];
}
