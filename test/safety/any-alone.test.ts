import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TreeNode } from "../../src/core/tree/node.js";
import { loadDesired } from "../../src/desired/load.js";
import type { DesiredTarget } from "../../src/desired/model.js";
import { registryOf } from "../../src/engine/target-kind.js";
import { planGuards } from "../../src/guards/registry.js";
import { makePlan } from "../../src/plan/make-plan.js";
import { memoryKind } from "../../src/targets/memory/kind.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { planInput, tree } from "../plan/support/planned.js";
import { applyAll } from "../plan/support/platform.js";
import { OTHERS } from "./transitions/containers.js";
import { complaintsAbout } from "./transitions/strict-device.js";

/** The parts of a member list that a document manages. */
interface Parts {
  readonly $include: readonly string[];
  readonly $exclude?: readonly string[];
}

const LISTS: Readonly<Record<string, readonly [string, string]>> = {
  source: ["a1", "a2"],
  destination: ["a1", "a2"],
  from: ["z1", "z2"],
  to: ["z1", "z2"],
  application: ["app1", "app2"],
  service: ["s1", "s2"],
  "source-user": ["u1", "u2"],
};

const partsOf = (a: string, b: string): Parts[] => [
  { $include: [a] },
  { $include: [a], $exclude: ["any"] },
  { $include: [a, b], $exclude: ["any"] },
  { $include: [b], $exclude: [a] },
  { $include: ["any"] },
  { $include: ["any"], $exclude: [a] },
  { $include: ["any"], $exclude: [a, b] },
];

const anyCases = Object.entries(LISTS).flatMap(([list, [a, b]]) =>
  partsOf(a, b).map((parts) => ({ list, within: undefined, parts, lives: [["any"], [a], [a, b], [b]] })),
);
/** A list that holds one member. */
const groupParts: Parts[] = [{ $include: ["pg1"] }, { $include: ["pg1"], $exclude: ["pg2"] }];
const groupCases = groupParts.map((parts) => ({ list: "group", within: "profile-setting", parts, lives: [["pg1"], ["pg2"]] }));
const cases = [...anyCases, ...groupCases];

/** The field of a rule with a value in the list, which may be in another element. */
const fieldOf = <T>(within: string | undefined, list: string, value: T) =>
  within === undefined ? { [list]: value } : { [within]: { [list]: value } };
const EMPTY_RULE = { from: ["any"], to: ["any"], source: ["any"], destination: ["any"], application: ["any"], service: ["any"] };

async function loadAll(): Promise<ReadonlyMap<string, DesiredTarget>> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-any-"));
  try {
    mkdirSync(join(folder, "documents"));
    const targets = Object.fromEntries(cases.map((_, index) => [`t${index}`, { kind: "memory", file: "x.xml" }]));
    writeFileSync(join(folder, "plumbline.yaml"), JSON.stringify({ format: 1, owner: "netops", documents: ["documents"], targets }));
    for (const [index, { list, within, parts }] of cases.entries()) {
      const rules = [{ name: "r", ...EMPTY_RULE, action: "allow", ...fieldOf(within, list, parts) }];
      const document = { target: `t${index}`, scope: "vsys1", config: { rulebase: { security: { rules } } } };
      writeFileSync(join(folder, "documents", `${index}.yaml`), JSON.stringify(document));
    }
    return (
      await loadDesired(join(folder, "plumbline.yaml"), {
        kinds: registryOf([memoryKind]),
        environment: {},
        today: "2026-01-01",
        resolveSecrets: false,
      })
    ).targets;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A device whose rule has these members in one list. */
function deviceWith({ list, within }: { list: string; within: string | undefined }, members: readonly string[]): TreeNode {
  const lists = within === undefined ? { ...EMPTY_RULE, [list]: members } : EMPTY_RULE;
  const element = (tag: string, texts: readonly string[]) => `<${tag}>${texts.map((text) => `<member>${text}</member>`).join("")}</${tag}>`;
  const content = Object.entries(lists).map(([tag, texts]) => element(tag, texts));
  if (within !== undefined) content.push(`<${within}>${element(list, members)}</${within}>`);
  const rule = `<rulebase><security><rules><entry name="r">${content.join("")}<action>allow</action></entry></rules></security></rulebase>`;
  return tree(OTHERS.replace("<profile-group>", `${rule}<profile-group>`));
}

function membersIn(node: TreeNode, list: string): string[] {
  const rule = node.children.some(({ tag }) => tag === "action") && node.name === "r";
  const [holder] = rule ? [node, ...node.children].flatMap(({ children }) => children.filter(({ tag }) => tag === list)) : [];
  if (holder !== undefined) return holder.children.map(({ text }) => text);
  return node.children.flatMap((child) => membersIn(child, list));
}

describe("a list of which a document manages some members", async () => {
  const loaded = await loadAll();

  it.each(cases.map((each, index) => ({ ...each, target: `t${index}` })))(
    "$list with $parts never holds members that the device refuses together",
    ({ list, within, parts, lives, target }) => {
      for (const members of lives) {
        const live = deviceWith({ list, within }, members);
        const plan = makePlan(planInput(live, loaded.get(target) as DesiredTarget, { shape: panosShape() }), planGuards);
        const wanted = new Set([...members.filter((text) => parts.$exclude?.includes(text) !== true), ...parts.$include]);
        if (wanted.size > 1 && (wanted.has("any") || within !== undefined)) {
          const message = within === undefined ? "any together with other members" : "2 members, and the device allows 1";
          expect(plan.refusals.map((refusal) => refusal.message)).toEqual([expect.stringContaining(`"${list}" would hold ${message}`)]);
          continue;
        }
        expect(plan.refusals).toEqual([]);
        const operations = plan.operations.map(({ operation }) => operation);
        const after = applyAll(live, operations, (step) => expect(complaintsAbout(step)).toEqual([]));
        expect(new Set(membersIn(after, list))).toEqual(wanted);
      }
    },
  );
});
