import type { TreeNode } from "../../../core/tree/node.js";
import { childOf } from "../client/reply.js";

/** The pushed policy that a firewall reports for one virtual system, or for all. */
export interface PushedPolicy {
  /** Rulebases and objects of the virtual system. */
  readonly own: TreeNode | undefined;
  /** Objects of the manager's `shared`. */
  readonly shared: TreeNode | undefined;
}

/** Parses `show config pushed-shared-policy`. Both fields are undefined if nothing was pushed. */
export function pushedPolicyIn(result: TreeNode | undefined): PushedPolicy {
  const policy = result === undefined ? undefined : (childOf(result, "policy") ?? result);
  return {
    own: policy === undefined ? undefined : childOf(policy, "panorama"),
    shared: policy === undefined ? undefined : childOf(policy, "shared"),
  };
}

/** Returns the tree in `show config pushed-template`. Undefined if nothing was pushed. */
export function pushedTemplateIn(result: TreeNode | undefined): TreeNode | undefined {
  const template = result === undefined ? undefined : (childOf(result, "template") ?? result);
  return template === undefined ? undefined : childOf(template, "config");
}
