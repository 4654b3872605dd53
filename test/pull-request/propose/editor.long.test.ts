import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isNothing } from "../../../src/core/tree/canonical-children.js";
import { UndoLog } from "../../../src/core/tree/edit/edit-tree.js";
import { insertChild, removeChildAt, setText } from "../../../src/core/tree/edit/primitives.js";
import { SecretLeaf, TreeNode } from "../../../src/core/tree/node.js";
import type { Shape } from "../../../src/core/tree/shape.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import type { Change } from "../../../src/plan/diff/change.js";
import { diff } from "../../../src/plan/diff/diff.js";
import { documentsOf } from "../../../src/pull-request/propose/documents.js";
import { Editor } from "../../../src/pull-request/propose/editor.js";
import { NotProposable } from "../../../src/pull-request/propose/refusal.js";
import { changedText } from "../../../src/pull-request/propose/splice.js";
import { panosKind } from "../../../src/targets/panos/kind.js";
import { panosShape } from "../../../src/targets/panos/shape.js";
import { filesOf, folder, imported, load, makeExclusive, runImport } from "../../import/support.js";

const FIXTURES = new URL("../../import/fixtures/", import.meta.url);
const ROUNDS = 25;
const TOGETHER = 4;

interface Spot {
  readonly parent: TreeNode;
  readonly node: TreeNode;
  readonly index: number;
  readonly shape: Shape;
  readonly parentShape: Shape;
}

function spots(root: TreeNode): Spot[] {
  const found: Spot[] = [];
  const walk = (parent: TreeNode, parentShape: Shape) => {
    parent.children.forEach((node, index) => {
      const shape = parentShape.child(node.tag);
      if (node instanceof SecretLeaf || isNothing(node, shape)) return;
      found.push({ parent, node, index, shape, parentShape });
      walk(node, shape);
    });
  };
  walk(root, panosShape());
  return found;
}

function randomizer(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const holdsScopes = (node: TreeNode, shape: Shape): boolean =>
  shape.scope || shape.globalScope || node.children.some((child) => holdsScopes(child, shape.child(child.tag)));
const holdsSecret = (node: TreeNode): boolean => node instanceof SecretLeaf || node.children.some(holdsSecret);

/** One manual change that an administrator could make; false if the place does not accept it. */
function mutate({ parent, node, index, shape, parentShape }: Spot, kind: number, serial: number, log: UndoLog): boolean {
  if (parentShape.sharedMembers || shape.sharedMembers) return false;
  switch (kind) {
    case 0:
      if (node.children.length > 0 || node.text === "" || node.tag === "member") return false;
      setText(parent, node, `${node.text} ${serial}: ~'"`, log);
      return true;
    case 1:
      if (holdsSecret(node) || holdsScopes(node, shape) || (node.tag === "member" && parent.children.length === 1)) return false;
      removeChildAt(parent, index, log);
      return true;
    case 2:
      if (shape.kind !== "list" || shape.child("entry").scope) return false;
      insertChild(
        node,
        new TreeNode("entry", `made by hand ${serial}`, "", [new TreeNode("description", undefined, "a: b # c")]),
        node.children.length,
        log,
      );
      return true;
    case 3:
      if (shape.kind !== "entry" || node.children.some(({ tag }) => tag === "description")) return false;
      insertChild(node, new TreeNode("description", undefined, "${not a reference}"), 0, log);
      return true;
    case 4: {
      if (!shape.ordered || shape.kind !== "list" || node.children.length < 2) return false;
      const last = node.children.at(-1) as TreeNode;
      removeChildAt(node, node.children.length - 1, log);
      insertChild(node, last, 0, log);
      return true;
    }
    default:
      if (shape.kind !== "members" || node.children.length === 0) return false;
      insertChild(node, new TreeNode("member", undefined, `by-hand-${serial}`), 0, log);
      return true;
  }
}

const textOf = (change: Change) => `${change.kind} ${change.path}`;

describe.each(readdirSync(FIXTURES).filter((name) => name.endsWith(".xml") && name !== "manager.xml"))("drift of %s", (name) => {
  it("are written into the documents so that they equal the live configuration, or refused", async () => {
    const root = parseXml(readFileSync(new URL(name, FIXTURES)));
    const out = folder();
    runImport(root, out);
    makeExclusive(out);
    const original = filesOf(join(out, "firewall"));
    const live = imported(root);
    const random = randomizer(11);
    const desired = await load(out);
    const changesOf = (target: typeof desired) =>
      diff({ desired: target.root, live, shape: panosShape(), secretState: () => "unknown" }).changes;
    let accepted = 0;
    let refused = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const log = new UndoLog();
      for (let done = 0, tries = 0; done < TOGETHER && tries < 500; tries++) {
        const all = spots(live);
        if (mutate(all[random(all.length)] as Spot, random(6), round * 10 + done, log)) done++;
      }
      const documents = documentsOf(
        out,
        [...original.keys()].map((file) => `firewall/${file}`),
        panosKind,
      );
      // Random values. A real device would not return them, and none is refused.
      const editor = new Editor(documents, live, { shape: panosShape() });
      const left: Change[] = [];
      const changes = changesOf(desired);
      for (const change of [...changes.filter(({ kind }) => kind !== "order"), ...changes.filter(({ kind }) => kind === "order")]) {
        try {
          editor.accept(change);
          accepted++;
        } catch (error) {
          if (!(error instanceof NotProposable)) throw error;
          left.push(change);
          refused++;
        }
      }
      editor.finish();
      for (const document of documents)
        if (editor.touched.has(document.file))
          writeFileSync(join(out, document.file), changedText(readFileSync(join(out, document.file), "utf8"), document));
      const remaining = changesOf(await load(out)).map(textOf);
      expect(
        remaining.filter(
          (text) => !left.some(({ path }) => text.includes(path.toString())),
          `round ${round}: ${changes.map(textOf).join("; ")}`,
        ),
      ).toEqual([]);
      for (const [file, text] of original) writeFileSync(join(out, "firewall", file), text);
      log.rollback();
    }
    expect(accepted).toBeGreaterThan(ROUNDS);
    expect(refused).toBeLessThan(accepted / 5);
  }, 120_000);
});

describe("drift to an invalid value", () => {
  it("is refused, because the proposal could not be merged", async () => {
    const address = (value: string) =>
      parseXml(`<config><shared><address><entry name="a"><fqdn>${value}</fqdn></entry></address></shared></config>`);
    const out = folder();
    runImport(address("a.example.com"), out);
    const live = address("not a name");
    const { root } = await load(out);
    const [change] = diff({ desired: root, live, shape: panosShape(), secretState: () => "unknown" }).changes;
    const editor = new Editor(documentsOf(out, ["firewall/shared/address.yaml"], panosKind), live, panosKind);
    expect(change?.kind).toBe("differs");
    expect(() => editor.accept(change as Change)).toThrow(NotProposable);
  });
});
