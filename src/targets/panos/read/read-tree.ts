import type { TreeNode } from "../../../core/tree/node.js";
import { Path } from "../../../core/tree/path.js";
import { protectSecrets } from "../../../core/tree/stored-secrets.js";
import type { OnDoubt } from "../../../engine/target.js";
import type { View } from "../../../plan/platform.js";
import type { PanosClient } from "../client/client.js";
import type { PanosOptions } from "../dependencies.js";
import { HIERARCHY, holdsDeviceGroups } from "../device-groups.js";
import { deviceEntry } from "../scope.js";
import type { OpenSession } from "../session.js";
import { panosShape } from "../shape.js";
import { confirmAbsence } from "./confirm-absence.js";
import { type Branch, joinSubtrees } from "./join-subtrees.js";
import { readHierarchy } from "./read-hierarchy.js";
import { readSubtree } from "./read-subtree.js";
import { withoutNested } from "./subtrees.js";

/** Small parts that every device has. If nothing else was read, one of them proves that the role may read. */
const ALWAYS_THERE = [deviceEntry.child("deviceconfig").child("system"), Path.root.child("config").child("mgt-config").child("users")];

/**
 * Reads subtrees in parallel (the client limits this to five) into one tree under `config`, with typed secrets. A device that cannot show
 * its running configuration returns its candidate for both views; the session warns once. A subtree that the device reports as absent is
 * omitted after its ancestor has confirmed that. If there are device groups, the tree includes their hierarchy, which decides the meaning
 * of names.
 */
export async function readTree(
  { client, capabilities }: OpenSession,
  subtrees: readonly Path[],
  requested: View,
  { onDigest, onDoubt }: Pick<PanosOptions, "onDigest"> & { readonly onDoubt?: OnDoubt | undefined } = {},
): Promise<TreeNode> {
  const view = capabilities.show ? requested : "candidate";
  const wanted = withoutNested(subtrees);
  const nodes = await Promise.all(wanted.map((path) => readSubtree(client, path, view, onDigest)));
  const branches: Branch[] = [];
  const missing: Path[] = [];
  for (const [index, path] of wanted.entries()) {
    const node = nodes[index];
    if (node === undefined) missing.push(path);
    else branches.push({ path, node });
  }
  if (missing.length > 0) await bearOut(client, missing, branches, view, onDoubt);
  const tree = joinSubtrees(branches);
  const hierarchy = holdsDeviceGroups(tree) ? await readHierarchy(client, view) : undefined;
  return protectSecrets(hierarchy === undefined ? tree : joinSubtrees([...branches, { path: HIERARCHY, node: hierarchy }]), panosShape());
}

async function bearOut(
  client: PanosClient,
  missing: readonly Path[],
  branches: readonly Branch[],
  view: View,
  onDoubt?: OnDoubt,
): Promise<void> {
  const read = (path: Path): Promise<TreeNode | undefined> => readSubtree(client, path, view);
  const present = branches.filter(({ node }) => node.children.length > 0).map(({ path }) => path);
  if (present.length === 0) {
    const proofs = await Promise.all(ALWAYS_THERE.map(read));
    present.push(...ALWAYS_THERE.filter((_, index) => proofs[index] !== undefined));
  }
  await confirmAbsence(missing, { place: client.place, read, present, onDoubt });
}
