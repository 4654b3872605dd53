import type { TreeNode } from "../../../core/tree/node.js";
import type { XPath } from "../../../core/tree/xpath.js";
import type { ConfigTree } from "../tree/config-tree.js";
import type { Stamp } from "../tree/stamp.js";

/** One change of a configuration, parsed. Applied to the candidate when it is asked for, and to running by a partial commit. */
export type Edit =
  | { readonly action: "set"; readonly xpath: XPath; readonly elements: readonly TreeNode[] }
  | { readonly action: "edit"; readonly xpath: XPath; readonly element: TreeNode }
  | {
      readonly action: "delete";
      readonly xpath: XPath;
      /** In a batch, what is gone already is told (code 7) and stops nothing. */
      readonly mayBeGone?: boolean;
    }
  | { readonly action: "move"; readonly xpath: XPath; readonly where: string; readonly dst: string | undefined }
  | { readonly action: "rename"; readonly xpath: XPath; readonly newName: string }
  | { readonly action: "clone"; readonly xpath: XPath; readonly from: XPath; readonly newName: string }
  | { readonly action: "override"; readonly xpath: XPath; readonly element: TreeNode }
  | { readonly action: "load"; readonly root: TreeNode };

/** What edits need besides the edit. */
export interface EditContext {
  readonly tree: ConfigTree;
  readonly stamp: Stamp;
  readonly settings: EditSettings;
}

/** Points on which devices were not measured (docs/devices/panos.md#not-verified-on-a-device), and what belongs to one device. */
export interface EditSettings {
  /** Seeds uuids and ciphertexts. */
  readonly masterKey: string;
  /** Whether rename rewrites the references to the old name. */
  readonly renameRewrites: boolean;
  /** Whether deleting what is not there answers code 7, or success. */
  readonly deleteMissing: "refused" | "silent";
}

/** What an edit did, for the list of changes and the configuration log. */
export interface Effect {
  /** XPath of what changed: the entry or leaf. */
  readonly xpath: string;
  /** XPath of what holds it, as `list changes` prints it. */
  readonly container: string;
  /** Beginning of its XML, before and after; undefined where it was not, or is not, there. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** There was nothing to delete, and the device says so. */
  readonly wasGone?: boolean;
}
