import { PlumblineError } from "../../../core/errors.js";
import type { SecretValue } from "../../../core/secret.js";
import { SecretLeaf, TreeNode } from "../../../core/tree/node.js";
import { secretOf } from "../../../core/tree/secret-of.js";
import { writeXml } from "../../../core/tree/xml/write.js";
import type { Handling } from "../../../desired/model.js";

/** Attributes that the device generates. A rule's `uuid` is not included: it is sent back with every edit. */
const DEVICE_MADE: ReadonlySet<string> = new Set(["admin", "time", "dirtyId", "loc", "ptpl", "src", "version", "urldb", "detail-version"]);

export interface WireElement {
  readonly xml: string;
  /** Revealed secrets, which must not appear in messages or URLs. */
  readonly secrets: readonly SecretValue[];
}

/**
 * Encodes an element for a request: secrets are revealed (only here), and attributes that the device generates are omitted. Throws
 * `value-not-writable` for values that must never be written: kept secrets and unresolved references.
 */
export function wireElement(element: TreeNode): WireElement {
  const secrets: SecretValue[] = [];
  const xml = writeXml(cleaned(element, secrets), { secrets: "reveal" });
  return { xml, secrets };
}

function cleaned(node: TreeNode, secrets: SecretValue[]): TreeNode {
  const handling = handlingOf(node);
  if (handling?.keep === true) throw notWritable(node, "a secret that is kept on the device");
  if (handling?.unresolved !== undefined) throw notWritable(node, "a reference that is not resolved yet");
  const attributes = withoutMarks(node);
  const secret = secretOf(node);
  if (secret !== undefined) {
    secrets.push(secret);
    const leaf = new SecretLeaf(node.tag, secret, attributes);
    leaf.name = node.name;
    return leaf;
  }
  const children = node.children.filter((child) => handlingOf(child)?.ignored !== true).map((child) => cleaned(child, secrets));
  return new TreeNode(node.tag, node.name, node.text, children, attributes);
}

function handlingOf(node: TreeNode): Handling | undefined {
  return (node as { readonly handling?: Handling | undefined }).handling;
}

function withoutMarks(node: TreeNode): TreeNode["attributes"] {
  if (node.attributes === undefined) return undefined;
  const kept = [...node.attributes].filter(([name]) => !DEVICE_MADE.has(name));
  return kept.length === 0 ? undefined : new Map(kept);
}

function notWritable(node: TreeNode, what: string): PlumblineError {
  return new PlumblineError("value-not-writable", `<${node.tag}> holds ${what} and cannot be written`, {
    next: "Plan again; please report it when the plan stays so.",
  });
}
