import { TreeNode } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import type { Bench } from "./bench.js";
import { commitCases } from "./commit-cases.js";
import { lockCases } from "./lock-cases.js";

const cloud = Path.root.child("openstack");
const list = cloud.child("networks");
const leaf = (tag: string, text: string): TreeNode => new TreeNode(tag, undefined, text);

/** Places for cases on a project of a cloud. */
export const onCloud = {
  list,
  empty: cloud.child("servers"),
  named: (word: string) => word,
  entry: (name: string, text: string) => new TreeNode("entry", name, "", [leaf("owner", "netops"), leaf("description", text)]),
  leaf: "description",
  more: leaf("admin_state_up", "false"),
  refused: { action: "set", at: list.entry("nobody"), element: leaf("description", "nobody's") },
} as const satisfies Partial<Bench>;

/** For platforms whose writes are effective immediately and separately. */
export const IN_FORCE_AT_ONCE: readonly string[] = [...lockCases, ...commitCases].map(({ name }) => name);

/** Cases that do not apply to a cloud. */
export const NOT_ON_CLOUDS: readonly string[] = [
  ...IN_FORCE_AT_ONCE,
  "has a digest that stays while nothing moves, and moves with what is written",
  "tells its own time, and records of a log in it",
  "does all of a batch or nothing",
  "move changes the order, and nothing else",
  "finds the job of a commit whose reply is lost",
];
