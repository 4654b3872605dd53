import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { canonicalText } from "../../src/core/tree/canonical.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { loadDesired } from "../../src/desired/load.js";
import type { DesiredTarget } from "../../src/desired/model.js";
import { registryOf } from "../../src/engine/target-kind.js";
import { planGuards } from "../../src/guards/registry.js";
import { makePlan } from "../../src/plan/make-plan.js";
import type { PlanInput } from "../../src/plan/model.js";
import { memoryKind } from "../../src/targets/memory/kind.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { planInput, tree } from "../plan/support/planned.js";
import { applyAll } from "../plan/support/platform.js";
import { CONTAINERS, type Container, OTHERS } from "./transitions/containers.js";
import { configuration, documentOf, sequenceOf } from "./transitions/places.js";
import { complaintsAbout } from "./transitions/strict-device.js";

/** One valid content of one container; undefined if a document declares none of it. */
interface State {
  readonly container: Container;
  readonly inside: string | undefined;
}

/** Number of random configurations, in addition to the pairs of single containers. */
const WORLDS = Number(process.env.PLUMBLINE_TRANSITIONS ?? 350);

/** Repeatable random numbers below 1 (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const statesOf = (container: Container): State[] => [undefined, ...container.states].map((inside) => ({ container, inside }));

const isInAnother = ({ place }: Container): boolean => CONTAINERS.some((other) => place.startsWith(`${other.place}/`));

/** Containers that do not contain each other, and one of each ordered list: several documents of one list need `$position`. */
const APART = CONTAINERS.filter((container, index) => {
  const list = sequenceOf(container.place);
  const isFirst = list === undefined || CONTAINERS.findIndex(({ place }) => sequenceOf(place) === list) === index;
  return isFirst && !isInAnother(container);
});

function worlds(): State[][] {
  const random = randomNumbers(41);
  return Array.from({ length: WORLDS }, () =>
    APART.filter(() => random() < 0.3).map((container) => {
      const states = statesOf(container);
      return states[Math.floor(random() * states.length)] as State;
    }),
  );
}

/** Adds the children of `more` to those of `base`. A leaf or entry in both keeps the content of both. */
function merge(base: TreeNode, more: TreeNode): TreeNode {
  const same = (a: TreeNode, b: TreeNode): boolean => a.tag === b.tag && a.name === b.name && (a.tag !== "member" || a.text === b.text);
  const kept = base.children.map((child) => {
    const other = more.children.find((each) => same(each, child));
    return other === undefined ? child : merge(child, other);
  });
  const added = more.children.filter((child) => !base.children.some((each) => same(each, child)));
  return new TreeNode(base.tag, base.name, more.text || base.text, [...kept, ...added], base.attributes);
}

/** True when `part` is in `all`: each element with its text, and everything below it. */
function contains(all: TreeNode, part: TreeNode): boolean {
  if (all.text.trim() !== part.text.trim()) return false;
  return part.children.every((child) =>
    all.children.some((other) => other.tag === child.tag && other.name === child.name && contains(other, child)),
  );
}

const KEPT = tree('<config><shared><tag><entry name="kept"><color>color1</color></entry></tag></shared></config>');

const declared = (states: readonly State[]): TreeNode =>
  states.reduce(
    (all, { container, inside }) => (inside === undefined ? all : merge(all, tree(configuration(container.place, inside)))),
    KEPT,
  );

const wholeOf = (states: readonly State[]): TreeNode => merge(tree(OTHERS), declared(states));

/** Elements that stay, empty, when `from` becomes `to`. */
function staying(from: readonly State[], to: readonly State[]): State[] {
  return from.flatMap(({ container, inside }) => {
    const after = to.find((state) => state.container === container)?.inside;
    const stays = container.stays !== undefined && after === undefined && inside?.startsWith(`<${container.stays}>`) === true;
    return stays ? [{ container, inside: `<${container.stays}/>` }] : [];
  });
}

const OPTIONS = { kinds: registryOf([memoryKind]), environment: {}, today: "2026-01-01", resolveSecrets: false };

/** Loads documents for each list of states, one target for each. */
async function loadAll(all: readonly (readonly State[])[]): Promise<ReadonlyMap<readonly State[], DesiredTarget>> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-transitions-"));
  try {
    mkdirSync(join(folder, "documents"));
    const targets = Object.fromEntries(all.map((_, index) => [`t${index}`, { kind: "memory", file: "x.xml" }]));
    writeFileSync(join(folder, "plumbline.yaml"), JSON.stringify({ format: 1, owner: "netops", documents: ["documents"], targets }));
    for (const [index, states] of all.entries()) {
      writeFileSync(join(folder, "documents", `${index}.yaml`), documentOf(`t${index}`, "shared", undefined));
      for (const [number, { container, inside }] of states.entries()) {
        if (inside === undefined) continue;
        writeFileSync(join(folder, "documents", `${index}-${number}.yaml`), documentOf(`t${index}`, container.place, inside));
      }
    }
    const loaded = await loadDesired(join(folder, "plumbline.yaml"), OPTIONS);
    return new Map(all.map((states, index) => [states, loaded.targets.get(`t${index}`) as DesiredTarget]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const SHAPE = panosShape();
const NO_LEDGER: PlanInput["ledger"] = { state: "missing" };

const ledgerOf = (paths: readonly string[]): PlanInput["ledger"] => ({
  state: "present",
  record: { owner: "netops", target: "t", commit: undefined, paths, adopted: [], secrets: {} },
});

interface Transition {
  readonly after: TreeNode;
  /** Rows of the new ledger. */
  readonly owns: readonly string[];
}

/** Plans and applies. The device must accept each request. Returns undefined if the plan requires `$position`. */
function transition(live: TreeNode, desired: DesiredTarget, ledger: PlanInput["ledger"]): Transition | undefined {
  const input = planInput(live, desired, { shape: SHAPE, ledger });
  const plan = makePlan(input, planGuards);
  const refusals = plan.refusals.map(({ guard, message }) => `${guard}: ${message}`);
  // Without rows the live entries belong to another administrator, so the place of a new one is the user's choice.
  if (ledger.state !== "present" && refusals.length > 0 && plan.refusals.every(({ guard }) => guard === "no-place")) return undefined;
  expect(refusals).toEqual([]);
  const requests = plan.operations.map(({ operation }) => operation);
  const known = new Set(complaintsAbout(live));
  const after = applyAll(live, requests, (step, { action, at }) => {
    const complaints = complaintsAbout(step).filter((each) => !known.has(each));
    expect(complaints, `${action} at ${at}`).toEqual([]);
  });
  expect(complaintsAbout(after)).toEqual([]);
  expect(
    makePlan(planInput(after, desired, { shape: SHAPE, ledger: ledger.state === "present" ? ledgerOf(plan.owns) : ledger }), planGuards)
      .operations,
  ).toEqual([]);
  return { after, owns: plan.owns };
}

const textOf = (configurationTree: TreeNode): string => canonicalText(configurationTree, SHAPE).replaceAll("><", ">\n<");

/** From one state to another: with ledger rows, without them, and from a configuration that has both. Returns the number of transitions. */
function tryPair(from: readonly State[], to: readonly State[], desired: (states: readonly State[]) => DesiredTarget): number {
  const first = transition(tree(OTHERS), desired(from), ledgerOf([])) as Transition;
  expect(textOf(first.after)).toBe(textOf(wholeOf(from)));
  const withRows = transition(first.after, desired(to), ledgerOf(first.owns)) as Transition;
  expect(textOf(withRows.after)).toBe(textOf(wholeOf([...to, ...staying(from, to)])));
  const withoutRows = [first.after, merge(first.after, declared(to))].map((live) => transition(live, desired(to), NO_LEDGER));
  for (const end of withoutRows) if (end !== undefined) expect(contains(end.after, declared(to))).toBe(true);
  return 1 + withoutRows.filter((end) => end !== undefined).length;
}

describe("a strict device accepts every request of a transition, and the end is as declared", async () => {
  const single = CONTAINERS.map((container) => statesOf(container).map((state) => [state]));
  const several = worlds();
  const loaded = await loadAll([...single.flat(), ...several]);
  const desired = (states: readonly State[]): DesiredTarget => loaded.get(states) as DesiredTarget;

  it.each(single.map((states) => [states[0]?.[0]?.container.place ?? "", states] as const))("%s", (_, states) => {
    for (const from of states) for (const to of states) if (from !== to) tryPair(from, to, desired);
  });

  it("another mode of an interface needs no permission to empty the lists of the old one", () => {
    const modes = single.find((states) => states[0]?.[0]?.container.stays === "layer3")?.slice(1) ?? [];
    const guards = { ...planInput(tree(OTHERS), desired(modes[0] ?? [])).guards, emptyList: "refuse" as const };
    for (const from of modes)
      for (const to of modes) {
        const plan = makePlan(planInput(wholeOf(from), desired(to), { shape: SHAPE, guards }), planGuards);
        expect(plan.refusals).toEqual([]);
      }
    expect(modes.length).toBeGreaterThan(5);
  });

  it(
    "containers that change together",
    () => {
      let transitions = 0;
      for (const [index, to] of several.entries()) transitions += tryPair(several.at(index - 1) as State[], to, desired);
      expect(transitions).toBeGreaterThan(2 * WORLDS);
      if (process.env.PLUMBLINE_TRANSITIONS !== undefined) console.log(`${transitions} transitions between ${WORLDS} configurations`);
    },
    Math.max(60_000, 400 * WORLDS),
  );

  it("covers 2,000 transitions or more", () => {
    const pairs = single.reduce((sum, states) => sum + states.length * (states.length - 1), several.length);
    // With rows, without rows, and from a configuration that holds both states.
    expect(3 * pairs).toBeGreaterThan(2000);
  });
});
