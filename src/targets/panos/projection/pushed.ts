import type { TreeNode } from "../../../core/tree/node.js";
import { childOf } from "../client/reply.js";

/** What a firewall says that it was handed for one virtual system, or for all of them. */
export interface PushedPolicy {
  /** Rulebases and objects of the virtual system. */
  readonly own: TreeNode | undefined;
  /** Objects of the manager's `shared`. */
  readonly shared: TreeNode | undefined;
}

/** Understands `show config pushed-shared-policy`: neither is there where the firewall says that nothing was pushed to it. */
export function pushedPolicyIn(result: TreeNode | undefined): PushedPolicy {
  const policy = result === undefined ? undefined : (childOf(result, "policy") ?? result);
  return {
    own: policy === undefined ? undefined : childOf(policy, "panorama"),
    shared: policy === undefined ? undefined : childOf(policy, "shared"),
  };
}

/** The tree in `show config pushed-template`; undefined where nothing was pushed. */
export function pushedTemplateIn(result: TreeNode | undefined): TreeNode | undefined {
  const template = result === undefined ? undefined : (childOf(result, "template") ?? result);
  return template === undefined ? undefined : childOf(template, "config");
}
