import { describe, expect, it } from "vitest";
import type { TreeNode } from "../../src/core/tree/node.js";
import { planGuards } from "../../src/guards/registry.js";
import { makePlan } from "../../src/plan/make-plan.js";
import type { PlanInput } from "../../src/plan/model.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { desired, planInput, tree } from "../plan/support/planned.js";
import { applyAll } from "../plan/support/platform.js";

interface System {
  readonly imports: readonly string[];
  readonly zones: Readonly<Record<string, string>>;
}

const members = (texts: readonly string[]): string => texts.map((text) => `<member>${text}</member>`).join("");

/** Configuration with an interface list and the virtual systems vsys1, vsys2 … in this order. */
function configuration(...systems: readonly System[]): string {
  const entries = systems.map(({ imports, zones }, index) => {
    const entry = ([name, used]: [string, string]) =>
      `<entry name="${name}"><network><layer3>${members([used])}</layer3></network></entry>`;
    const zone = `<zone closed="yes">${Object.entries(zones).map(entry).join("")}</zone>`;
    return `<entry name="vsys${index + 1}"><import><network><interface>${members(imports)}</interface></network></import>${zone}</entry>`;
  });
  const ports = ["ethernet1/1", "ethernet1/2", "ethernet1/3"].map((name) => `<entry name="${name}"><layer3/></entry>`);
  const network = `<network><interface><ethernet>${ports.join("")}</ethernet></interface></network>`;
  return `<config><devices><entry name="localhost.localdomain">${network}<vsys>${entries.join("")}</vsys></entry></devices></config>`;
}

const textsAt = (node: TreeNode | undefined, ...tags: readonly string[]): string[] =>
  (tags.reduce((at, tag) => at?.children.find((child) => child.tag === tag), node)?.children ?? []).map(({ text }) => text);

/** Interfaces in two virtual systems, and zones whose interface their virtual system does not import. */
function complaintsAbout(config: TreeNode): string[] {
  const systems = config.children[0]?.children[0]?.children.find(({ tag }) => tag === "vsys")?.children ?? [];
  const imported = systems.map((system) => textsAt(system, "import", "network", "interface"));
  const all = imported.flat();
  const twice = all.filter((name, index) => all.indexOf(name) !== index).map((name) => `${name} is imported twice`);
  const unimported = systems.flatMap((system, index) =>
    (system.children.find(({ tag }) => tag === "zone")?.children ?? []).flatMap((zone) =>
      textsAt(zone, "network", "layer3")
        .filter((name) => imported[index]?.includes(name) !== true)
        .map((name) => `zone ${zone.name} uses ${name}, which ${system.name} does not import`),
    ),
  );
  return [...twice, ...unimported];
}

function inputOf(from: string, to: string): PlanInput {
  const live = tree(from.replaceAll(' closed="yes"', ""));
  const input = planInput(live, desired(to, panosShape()), { shape: panosShape() });
  return { ...input, guards: { ...input.guards, emptyList: "allow" } };
}

/** Plans and applies the change. Returns the complaints of a strict device after each request. */
function complaintsDuring(from: string, to: string): string[] {
  const input = inputOf(from, to);
  const plan = makePlan(input, planGuards);
  expect(plan.refusals).toEqual([]);
  const complaints: string[] = [];
  const after = applyAll(
    input.candidate,
    plan.operations.map(({ operation }) => operation),
    (step) => complaints.push(...complaintsAbout(step)),
  );
  expect(makePlan({ ...input, candidate: after }, planGuards).operations).toEqual([]);
  return complaints;
}

const one = { imports: ["ethernet1/1"], zones: { trust: "ethernet1/1" } };
const both = { imports: ["ethernet1/1", "ethernet1/2"], zones: { trust: "ethernet1/1", dmz: "ethernet1/2" } };
const third = { imports: ["ethernet1/3"], zones: { lab: "ethernet1/3" } };
const moved = { imports: ["ethernet1/2", "ethernet1/3"], zones: { lab: "ethernet1/3", dmz: "ethernet1/2" } };

const bare = (name: string): System => ({ imports: [name], zones: {} });
const zoned = (name: string): System => ({ imports: [name], zones: { zone: name } });

describe("an interface that moves to another virtual system", () => {
  it.each([
    ["with its zone", configuration(both, third), configuration(one, moved)],
    ["back", configuration(one, moved), configuration(both, third)],
    ["to a zone that exists", configuration(both, third), configuration(one, { ...moved, zones: { lab: "ethernet1/2" } })],
    [
      "in exchange for another",
      configuration(bare("ethernet1/1"), bare("ethernet1/3")),
      configuration(bare("ethernet1/3"), bare("ethernet1/1")),
    ],
  ])("is never in both, nor in a zone before its import: %s", (_, from, to) => {
    expect(complaintsDuring(from, to)).toEqual([]);
  });

  it("is refused in exchange for another if both zones would be empty in between", () => {
    const from = configuration(zoned("ethernet1/1"), zoned("ethernet1/3"));
    const plan = makePlan(inputOf(from, configuration(zoned("ethernet1/3"), zoned("ethernet1/1"))), planGuards);
    expect(plan.refusals.map(({ guard }) => guard)).toEqual(["order"]);
  });
});
