import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isNothing } from "../../src/core/tree/canonical-children.js";
import { UndoLog } from "../../src/core/tree/edit/edit-tree.js";
import { insertChild, removeChildAt, setText } from "../../src/core/tree/edit/primitives.js";
import { SecretLeaf, TreeNode } from "../../src/core/tree/node.js";
import { Path } from "../../src/core/tree/path.js";
import type { Shape } from "../../src/core/tree/shape.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { differences, folder, imported, load, makeExclusive, runImport, SHARED } from "./support.js";

const OWN = new URL("fixtures/", import.meta.url);
const MUTATIONS = 200;

interface Spot {
  readonly parent: TreeNode;
  readonly node: TreeNode;
  readonly index: number;
  readonly path: Path;
  readonly parentPath: Path;
  readonly shape: Shape;
  readonly parentShape: Shape;
}

/** Every node below the root that counts: kept secrets and all that equals absence are nobody's drift. */
function spots(root: TreeNode): Spot[] {
  const found: Spot[] = [];
  const walk = (parent: TreeNode, parentPath: Path, parentShape: Shape) => {
    parent.children.forEach((node, index) => {
      const shape = parentShape.child(node.tag);
      if (node instanceof SecretLeaf || isNothing(node, shape)) return;
      const path = stepTo(parentPath, node);
      found.push({ parent, node, index, path, parentPath, shape, parentShape });
      walk(node, path, shape);
    });
  };
  walk(root, Path.root.child("config"), panosShape());
  return found;
}

function stepTo(parent: Path, node: TreeNode): Path {
  if (node.name !== undefined) return parent.entry(node.name, node.tag);
  return node.tag === "member" ? parent.member(node.text) : parent.child(node.tag);
}

/** A small generator of our own: the same mutations on every machine. */
function randomizer(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const isShared = (spot: Spot): boolean => spot.parentShape.sharedMembers;
const holdsSecret = (node: TreeNode): boolean => node instanceof SecretLeaf || node.children.some(holdsSecret);
const isLeaf = ({ node }: Spot): boolean => node.children.length === 0 && node.text !== "" && node.tag !== "member";

/** The drift that must be reported if the mutation is the only change; undefined if the place does not accept it. */
type Mutation = (spot: Spot, log: UndoLog) => string[] | undefined;

const MUTATE: Record<"change" | "delete" | "add" | "reorder", Mutation> = {
  change(spot, log) {
    if (!isLeaf(spot) || spot.shape.default === `${spot.node.text}~`) return undefined;
    setText(spot.parent, spot.node, `${spot.node.text}~`, log);
    return [`differs ${spot.path}`];
  },
  delete(spot, log) {
    const isMember = spot.node.tag === "member";
    if (holdsSecret(spot.node) || steps(spot) || (isMember && spot.parent.children.length === 1)) return undefined;
    removeChildAt(spot.parent, spot.index, log);
    return [isMember ? `differs ${spot.parentPath}` : `missing ${spot.path}`];
  },
  add(spot, log) {
    const { node, shape, path } = spot;
    if (shape.kind === "list" && shape.child("entry").scope) return undefined;
    if (shape.kind === "list") {
      insertChild(
        node,
        new TreeNode("entry", "added by another", "", [new TreeNode("description", undefined, "x")]),
        node.children.length,
        log,
      );
      return [`extra ${path.entry("added by another")}`];
    }
    if (shape.kind !== "container" && shape.kind !== "entry") return undefined;
    insertChild(node, new TreeNode("added-by-another", undefined, "x"), 0, log);
    return [`extra ${path.child("added-by-another")}`];
  },
  reorder({ node, shape, path }, log) {
    if (!shape.ordered || shape.kind !== "list" || node.children.length < 2) return undefined;
    const last = node.children.at(-1) as TreeNode;
    removeChildAt(node, node.children.length - 1, log);
    insertChild(node, last, 0, log);
    return [`order ${path}`];
  },
};

/** Steps of places are followed and never created: a missing place is a separate finding. */
function steps({ node, shape }: Spot): boolean {
  return shape.scope || shape.globalScope || holdsScopes(node, shape);
}

function holdsScopes(node: TreeNode, shape: Shape): boolean {
  return node.children.some((child) => shape.child(child.tag).scope || holdsScopes(child, shape.child(child.tag)));
}

function files(folder: URL): [string, URL][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".xml"))
    .map((name) => [name, new URL(name, folder)]);
}

describe("drift after import", () => {
  it.each([...files(OWN), ...files(SHARED)])(`lists exactly the paths that ${MUTATIONS} changes to %s touched`, async (_, file) => {
    const root = parseXml(readFileSync(file));
    const out = folder();
    runImport(root, out);
    makeExclusive(out);
    const desired = await load(out);
    const live = imported(root);
    const random = randomizer(6);
    const kinds = Object.keys(MUTATE) as (keyof typeof MUTATE)[];
    const done = new Map<string, number>();
    for (let count = 0; count < MUTATIONS; ) {
      const all = spots(live);
      const kind = kinds[random(kinds.length)] as keyof typeof MUTATE;
      const spot = all[random(all.length)] as Spot;
      if (isShared(spot)) continue;
      const log = new UndoLog();
      const expected = MUTATE[kind](spot, log);
      if (expected === undefined) {
        if (kind !== "reorder" || all.some(({ shape, node }) => shape.ordered && shape.kind === "list" && node.children.length > 1))
          continue;
        count++;
        continue;
      }
      expect(differences(desired, live), `${kind} at ${spot.path}`).toEqual(expected);
      log.rollback();
      count++;
      done.set(kind, (done.get(kind) ?? 0) + 1);
    }
    expect(differences(desired, live)).toEqual([]);
    expect([...done.keys()].sort()).toEqual(expect.arrayContaining(["add", "change", "delete"]));
  });
});
