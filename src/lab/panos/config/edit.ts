import type { TreeNode } from "../../../core/tree/node.js";
import type { XPath } from "../../../core/tree/xpath/xpath.js";
import type { ConfigTree } from "../tree/config-tree.js";
import type { Stamp } from "../tree/stamp.js";

/** One parsed change of a configuration. It is applied to the candidate on request, and to running by a partial commit. */
export type Edit =
  | { readonly action: "set"; readonly xpath: XPath; readonly elements: readonly TreeNode[] }
  | { readonly action: "edit"; readonly xpath: XPath; readonly element: TreeNode }
  | {
      readonly action: "delete";
      readonly xpath: XPath;
      /** In a batch, deleting a missing node is reported with code 7 and does not stop the batch. */
      readonly mayBeMissing?: boolean;
    }
  | { readonly action: "move"; readonly xpath: XPath; readonly where: string; readonly dst: string | undefined }
  | { readonly action: "rename"; readonly xpath: XPath; readonly newName: string }
  | { readonly action: "clone"; readonly xpath: XPath; readonly from: XPath; readonly newName: string }
  | { readonly action: "override"; readonly xpath: XPath; readonly element: TreeNode }
  | { readonly action: "load"; readonly root: TreeNode };

/** Context of an edit. */
export interface EditContext {
  readonly tree: ConfigTree;
  readonly stamp: Stamp;
  readonly settings: EditSettings;
}

/** Behaviour that was not measured on a device (docs/contributing/devices/panos.md#not-verified-on-a-device), and settings of one device. */
export interface EditSettings {
  /** Software version. Some checks depend on it. */
  readonly version: string;
  /** Seed of uuids and ciphertexts. */
  readonly masterKey: string;
  /** Whether a rename updates the references to the old name. */
  readonly renameRewrites: boolean;
  /** Whether deleting a missing node returns code 7 or success. */
  readonly deleteMissing: "refused" | "silent";
}

/** Result of an edit, for the list of changes and the configuration log. */
export interface Effect {
  /** XPath of the changed entry or leaf. */
  readonly xpath: string;
  /** XPath of its container, as `list changes` prints it. */
  readonly container: string;
  /** Start of its XML before and after the edit. Undefined if the node did not exist before, or does not exist after. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Set if a delete found no node and the device reports it. */
  readonly wasMissing?: boolean;
}
