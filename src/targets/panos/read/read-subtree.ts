import { createHash } from "node:crypto";
import { PlumblineError } from "../../../core/errors.js";
import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import type { View } from "../../../plan/platform.js";
import type { PanosClient } from "../client/client.js";
import { getConfiguration } from "../client/commands.js";
import type { PanosOptions } from "../dependencies.js";

/**
 * Reads the node at `path`. Undefined if the device reports that it does not exist, which can also mean a missing right or a misunderstood
 * path: see `confirm-absence.ts`. Throws `reply-mismatch` if another node is returned.
 */
export async function readSubtree(
  client: PanosClient,
  path: Path,
  view: View,
  onDigest?: PanosOptions["onDigest"],
): Promise<TreeNode | undefined> {
  const xpath = path.toString();
  const digest = onDigest === undefined ? undefined : (body: Buffer) => onDigest(xpath, view, sha256(body));
  const reply = await client.runIfPresent(getConfiguration(view, xpath), digest);
  const found = reply?.result?.children ?? [];
  const [node] = found;
  if (node === undefined) return undefined;
  if (found.length > 1 || !isAt(node, path)) throw mismatch(found, client, xpath);
  return node;
}

function isAt(node: TreeNode, path: Path): boolean {
  return (
    node.tag === path.tag && (path.name === undefined || node.name === path.name) && (path.text === undefined || node.text === path.text)
  );
}

function sha256(body: Buffer): string {
  return createHash("sha256").update(body).digest("hex");
}

function mismatch(found: readonly TreeNode[], client: PanosClient, xpath: string): PlumblineError {
  const what = found.length > 1 ? `${found.length} nodes` : `<${found[0]?.tag}>`;
  return new PlumblineError("reply-mismatch", `${client.place.origin} answered with ${what} instead of one node`, {
    where: { target: client.place.target, xpath },
    next: "Name every entry of the path, and check that the url is the device's own.",
  });
}
