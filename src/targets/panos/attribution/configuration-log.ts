import type { TreeNode } from "../../../core/tree/node.js";
import type { Path } from "../../../core/tree/path.js";
import { parsePath } from "../../../core/tree/xpath/xpath.js";
import type { Attribution } from "../../../plan/diff/change.js";
import { childOf, textOf } from "../client/reply.js";

/** Commands that replace or remove everything below their path. A `set` on a list does not affect the other entries of the list. */
const COVERS_BELOW: ReadonlySet<string> = new Set(["edit", "delete", "override", "load"]);

/** Commands that do not change the configuration. */
const NO_CHANGE: ReadonlySet<string> = new Set(["commit", "commit-all", "validate", "get", "show", "request", "lock", "unlock", "save"]);

/** Index of a configuration log. A lookup costs the depth of its path. */
export class ConfigurationLog {
  /** The newest change at or below each path. */
  readonly #within = new Map<string, Attribution>();
  /** The newest change that replaced or removed exactly this node. */
  readonly #exactPaths = new Map<string, Attribution>();

  constructor(records: readonly TreeNode[]) {
    const newestFirst = [...records].sort((a, b) => compareText(timeOf(b), timeOf(a)));
    for (const record of newestFirst) this.#add(record);
  }

  /** Returns the last change of the node, of a node below it, or of a complete ancestor. */
  find(path: Path): Attribution | undefined {
    const within = this.#within.get(path.toString());
    if (within !== undefined) return within;
    for (let at = path.parent; at !== undefined; at = at.parent) {
      const exact = this.#exactPaths.get(at.toString());
      if (exact !== undefined) return exact;
    }
    return undefined;
  }

  #add(record: TreeNode): void {
    const admin = textOf(childOf(record, "admin"));
    const command = textOf(childOf(record, "cmd"));
    const path = pathOf(record);
    if (admin === "" || path === undefined || NO_CHANGE.has(command) || /fail|unauthorized/i.test(textOf(childOf(record, "result"))))
      return;
    const attribution = { admin, time: timeOf(record) || undefined };
    for (let at: Path | undefined = path; at !== undefined; at = at.parent) setFirst(this.#within, at.toString(), attribution);
    if (COVERS_BELOW.has(command)) setFirst(this.#exactPaths, path.toString(), attribution);
  }
}

function setFirst(map: Map<string, Attribution>, key: string, value: Attribution): void {
  if (!map.has(key)) map.set(key, value);
}

function timeOf(record: TreeNode): string {
  return textOf(childOf(record, "time_generated")) || textOf(childOf(record, "receive_time"));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the XPath of a record. Records about other matters contain text in this field. */
function pathOf(record: TreeNode): Path | undefined {
  const text = [childOf(record, "full-path"), childOf(record, "path")].map(textOf).find((words) => words.startsWith("/config"));
  if (text === undefined) return undefined;
  try {
    return parsePath(text);
  } catch {
    return undefined;
  }
}
