import { childByTag, pathOf } from "../../core/tree/lookup.js";
import type { TreeNode } from "../../core/tree/node.js";
import { Path } from "../../core/tree/path.js";
import type { MissingField } from "../../plan/model.js";
import { atLeast } from "./capabilities.js";

interface Requirement {
  /** Tags from a scope to the entries. */
  readonly entries: RegExp;
  readonly field: string;
  /** First version that requires the field. */
  readonly since: readonly [major: number, minor: number];
  /** The field is only required if this list has members. */
  readonly with?: string;
  readonly next: string;
}

/**
 * Fields that depend on the version of the device, so that `validate` cannot check them. Sources: issue 285 of pan-os-python
 * ("custom-url-category entry has to be type specified"), issue 595 of pan-os-ansible, and the device schemas of 8.0 to 10.0.
 */
const REQUIREMENTS: readonly Requirement[] = [
  {
    entries: /\/profiles\/custom-url-category\/entry$/,
    field: "type",
    since: [9, 0],
    with: "list",
    next: "Write type: URL List, or type: Category Match.",
  },
  {
    entries: /\/log-settings\/[a-z]+\/(entry\/)?match-list\/entry$/,
    field: "filter",
    since: [8, 0],
    next: "Write filter: All Logs, or a filter.",
  },
];

/** Returns the entries that lack a field which this version of the device requires. */
export function missingFields(root: TreeNode, version: string): MissingField[] {
  const required = REQUIREMENTS.filter(({ since }) => atLeast(version, ...since));
  const found: MissingField[] = [];
  const visit = (node: TreeNode, path: Path, tags: string): void => {
    for (const { entries, field, with: list, next } of node.name === undefined ? [] : required) {
      if (!entries.test(tags) || childByTag(node, field) !== undefined) continue;
      if (list !== undefined && (childByTag(node, list)?.children.length ?? 0) === 0) continue;
      found.push({ path, message: `PAN-OS ${version} requires "${field}" in "${node.name}". ${next}` });
    }
    for (const child of node.children)
      if (child.children.length > 0 || child.name !== undefined) visit(child, pathOf(path, child), `${tags}/${child.tag}`);
  };
  visit(root, Path.root.child(root.tag), `/${root.tag}`);
  return found;
}
