import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { SecretValue } from "../../src/core/secret.js";
import { canonicalText } from "../../src/core/tree/canonical.js";
import { SecretLeaf, TreeNode } from "../../src/core/tree/node.js";
import { STORED_SECRET } from "../../src/core/tree/stored-secrets.js";
import { loadDesired } from "../../src/desired/load.js";
import type { DesiredNode, DesiredTarget } from "../../src/desired/model.js";
import { type ImportResult, importConfiguration } from "../../src/import/import-configuration.js";
import { diff } from "../../src/plan/diff/diff.js";
import { panosKind } from "../../src/targets/panos/kind.js";

const KINDS = new Map([["panos", panosKind]]);

/** Whether configurations of real devices are next to the checkout. They are only read, never copied. */
export const SHARED = new URL("../../../shared/data/panos/", import.meta.url);

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "plumbline-import-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function runImport(xml: TreeNode, out: string): ImportResult {
  return importConfiguration({ xml, kind: panosKind, out });
}

export async function load(out: string): Promise<DesiredTarget> {
  const loaded = await loadDesired(join(out, "plumbline.yaml"), {
    environment: { PLUMBLINE_TARGET_FIREWALL_USER: "admin", PLUMBLINE_TARGET_FIREWALL_PASSWORD: "admin" },
    kinds: KINDS,
    today: "2026-11-21",
    resolveSecrets: true,
  });
  const target = loaded.targets.get("firewall");
  if (target === undefined) throw new Error("the import has no documents");
  return target;
}

/** Canonical text of desired state; a kept secret reads as a stored one. */
export function desiredText(root: DesiredNode): string {
  return canonicalText(comparable(root), panosKind.shape);
}

function comparable(node: DesiredNode): TreeNode {
  if (node.handling?.keep === true) {
    const leaf = new SecretLeaf(node.tag, new SecretValue("", STORED_SECRET), node.attributes);
    leaf.name = node.name;
    return leaf;
  }
  return new TreeNode(node.tag, node.name, node.text, node.children.map(comparable), node.attributes);
}

/** Canonical text of the part of a live tree that import uses. `runImport` has protected its secrets. */
export function liveText(root: TreeNode): string {
  return canonicalText(imported(root), panosKind.shape);
}

/** The part of a live tree that import takes. */
export function imported(root: TreeNode): TreeNode {
  return new TreeNode(
    root.tag,
    undefined,
    "",
    root.children.filter(({ tag }) => tag !== "readonly" && tag !== "predefined"),
  );
}

/** The changes and refusing findings between the loaded documents and a live tree, as text. */
export function differences(target: DesiredTarget, live: TreeNode): string[] {
  const { changes, findings } = diff({ desired: target.root, live, shape: panosKind.shape, secretState: () => "unknown" });
  return [
    ...changes.map((change) => `${change.kind} ${change.path}`),
    ...findings.filter(({ refuses }) => refuses).map((finding) => `${finding.kind} ${finding.path}`),
  ];
}

/** Removes everything from the places of all documents except for the declarations. */
export function makeExclusive(out: string): void {
  for (const [file, text] of filesOf(join(out, "firewall"))) {
    writeFileSync(
      join(out, "firewall", file),
      text.replace(/^owns:\n(?: .*\n)+/m, "").replace(/^config:/m, 'owns: { ".": exclusive }\nconfig:'),
    );
  }
}

/** All files below a folder with their texts, by path. */
export function filesOf(path: string, prefix = ""): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) for (const [name, text] of filesOf(join(path, entry.name), `${prefix}${entry.name}/`)) files.set(name, text);
    else files.set(`${prefix}${entry.name}`, readFileSync(join(path, entry.name), "utf8"));
  }
  return files;
}
