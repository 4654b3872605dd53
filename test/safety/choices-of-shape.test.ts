import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/core/tree/canonical.js";
import type { TreeNode } from "../../src/core/tree/node.js";
import type { Shape } from "../../src/core/tree/shape.js";
import { planGuards } from "../../src/guards/registry.js";
import { makePlan } from "../../src/plan/make-plan.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { desired, planInput, tree } from "../plan/support/planned.js";
import { applyAll } from "../plan/support/platform.js";

/** A place of the shape table with alternatives, or a list with a limit. */
interface Place {
  /** Tags and entries down to the place, the root first. */
  readonly steps: readonly string[];
  /** Contents that replace each other. */
  readonly contents: readonly string[];
}

const SHAPE = panosShape();
/** Templates and shared gateways repeat the types of a device, and the types of pushed configurations contain themselves. */
const REPEATED = new Set(["template", "template-stack", "shared-gateway", "readonly", "predefined"]);
const DEEPEST = 14;

/** Marks an element that a document declares completely. */
const CLOSED = ' closed="yes"';

/** Valid content of an element, as small as possible. */
function smallest(tag: string, shape: Shape): string {
  if (shape.kind === "leaf") return `<${tag}>1</${tag}>`;
  if (shape.kind === "members") return `<${tag}><member>m</member></${tag}>`;
  if (shape.kind === "list") return `<${tag}><entry name="e"/></${tag}>`;
  const [first] = shape.emptyIsAbsent ? shape.knownTags : [];
  return `<${tag}${CLOSED}>${first === undefined ? "" : smallest(first, shape.child(first))}</${tag}>`;
}

function groupsIn(shape: Shape): string[][] {
  const groups = new Map<string, string[]>();
  for (const tag of shape.knownTags) {
    const { choice } = shape.child(tag);
    if (choice !== undefined) groups.set(choice, [...(groups.get(choice) ?? []), tag]);
  }
  return [...groups.values()].filter((tags) => tags.length > 1);
}

/** Collects each group of alternatives and each limited list once per type: the tags of the place and of its parent identify it. */
function collect(shape: Shape, steps: readonly string[], found: Map<string, Place>): void {
  const near = steps.slice(-2).join("/");
  for (const tags of groupsIn(shape)) {
    const contents = tags.map((tag) => smallest(tag, shape.child(tag)));
    const key = `${near} ${tags}`;
    if (!found.has(key)) found.set(key, { steps, contents });
  }
  for (const tag of shape.knownTags) {
    const below = shape.child(tag);
    const { most } = below;
    if (most !== undefined && !found.has(`${near}/${tag}`))
      found.set(`${near}/${tag}`, {
        steps,
        contents: ["a", "b"].map((name) => `<${tag}>${`<member>${name}</member>`.repeat(most)}</${tag}>`),
      });
    if (steps.length < DEEPEST && !REPEATED.has(tag) && (below.kind === "container" || below.kind === "list"))
      collect(below.kind === "list" ? below.child("entry") : below, [...steps, below.kind === "list" ? `${tag}=e` : tag], found);
  }
}

const places = new Map<string, Place>();
collect(SHAPE, ["config"], places);

function configuration({ steps }: Place, content: string, mark = ""): string {
  return [...steps].reverse().reduce((inside, step, index) => {
    const [tag, name] = step.split("=");
    const closed = index === 0 ? mark : "";
    return name === undefined ? `<${tag}${closed}>${inside}</${tag}>` : `<${tag}><entry name="${name}"${closed}>${inside}</entry></${tag}>`;
  }, content);
}

const tagOf = (content: string): string | undefined => /^<([^ >/]+)/.exec(content)?.[1];

/** Groups with two live alternatives, and lists with too many members. */
function complaintsAbout(node: TreeNode, shape: Shape): string[] {
  const present = new Set(node.children.map(({ tag }) => tag));
  const two = groupsIn(shape).flatMap((tags) => {
    const live = tags.filter((tag) => present.has(tag));
    return live.length > 1 ? [`${node.tag}: ${live.join(" and ")}`] : [];
  });
  const many = shape.most !== undefined && node.children.length > shape.most ? [`${node.tag}: ${node.children.length} members`] : [];
  return [...two, ...many, ...node.children.flatMap((child) => complaintsAbout(child, shape.child(child.tag)))];
}

/** Plans and applies a change. Returns the configuration at the end. */
function changed(place: Place, from: string, to: string): TreeNode {
  const live = tree(configuration(place, from).replaceAll(CLOSED, ""));
  const known = new Set(complaintsAbout(live, SHAPE));
  const plan = makePlan(planInput(live, desired(configuration(place, to, CLOSED), SHAPE), { shape: SHAPE }), planGuards);
  expect(plan.refusals).toEqual([]);
  const operations = plan.operations.map(({ operation }) => operation);
  return applyAll(live, operations, (step, { action, at }) => {
    const complaints = complaintsAbout(step, SHAPE).filter((each) => !known.has(each));
    expect(complaints, `${action} at ${at}`).toEqual([]);
  });
}

describe("a device that refuses two alternatives accepts every request", () => {
  it.each([...places])("%s", (_, place) => {
    for (const to of place.contents) {
      const wanted = canonicalText(tree(configuration(place, to).replaceAll(CLOSED, "")), SHAPE);
      const both = place.contents.filter((from) => from !== to && tagOf(from) !== tagOf(to)).map((from) => from + to);
      for (const from of ["", ...place.contents, ...both]) expect(canonicalText(changed(place, from, to), SHAPE), from).toBe(wanted);
    }
  });

  it("covers the shape table", () => {
    expect(places.size).toBeGreaterThan(100);
  });
});
