import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PlumblineErrors } from "../../src/core/errors.js";
import { find } from "../../src/core/tree/lookup.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { loadDesired } from "../../src/desired/load.js";
import type { DesiredTarget } from "../../src/desired/model.js";
import { planGuards } from "../../src/guards/registry.js";
import { makePlan } from "../../src/plan/make-plan.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { panosShape } from "../../src/targets/panos/shape.js";
import { planInput, tree } from "./support/planned.js";
import { applyAll } from "./support/platform.js";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const CONFIGURATION = `format: 1
owner: netops
documents: [edge]
targets:
  edge: { kind: panos, url: "https://192.0.2.10", credentials: { username: u, password: "\${env:FW_PASSWORD}" } }
`;
const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";

const rule = (name: string): string => `<entry name="${name}"><action>allow</action></entry>`;
const live = (...names: string[]): string =>
  `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><rulebase><security><rules>${names.map(rule).join("")}</rules></security></rulebase></entry></vsys></entry></devices></config>`;

/** A document of one block of security rules. */
const block = (position: string, ...names: string[]): string => `target: edge
scope: vsys1
config:
  rulebase:
    security:
      rules:
        $position: ${position}
        $entries:
${names.map((name) => `          - name: ${name}\n            action: allow\n`).join("")}`;

async function load(documents: Readonly<Record<string, string>>): Promise<DesiredTarget> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-blocks-"));
  folders.push(folder);
  mkdirSync(join(folder, "edge"));
  writeFileSync(join(folder, "plumbline.yaml"), CONFIGURATION);
  for (const [file, text] of Object.entries(documents)) writeFileSync(join(folder, "edge", file), text);
  const kinds = new Map([[panosKind.kind, panosKind]]);
  const options = { environment: {}, kinds, today: "2026-03-01", resolveSecrets: false };
  const { targets } = await loadDesired(join(folder, "plumbline.yaml"), options);
  return targets.get("edge") as DesiredTarget;
}

function orderAfter(liveXml: string, wanted: DesiredTarget): string[] {
  const before = tree(liveXml);
  const plan = makePlan(planInput(before, wanted, { shape: panosShape() }), planGuards);
  expect(plan.refusals).toEqual([]);
  const after = applyAll(
    before,
    plan.operations.map(({ operation }) => operation),
    () => undefined,
  );
  expect(makePlan(planInput(after, wanted, { shape: panosShape() }), planGuards).changes).toEqual([]);
  return (find(after, parsePath(RULES))?.children ?? []).map((child) => child.name ?? "");
}

describe("one ordered list in several documents", () => {
  it("has each document's block at its own position", async () => {
    const wanted = await load({ "a.yaml": block("bottom", "log", "deny"), "b.yaml": block("{ after: theirs-1 }", "web", "dns") });
    expect(orderAfter(live("theirs-1", "theirs-2"), wanted)).toEqual(["theirs-1", "web", "dns", "theirs-2", "log", "deny"]);
    expect(orderAfter(live("deny", "dns", "theirs-1", "theirs-2", "web"), wanted)).toEqual([
      "theirs-1",
      "theirs-2",
      "web",
      "dns",
      "log",
      "deny",
    ]);
  });

  it("can have a block inside another document's block", async () => {
    const wanted = await load({ "a.yaml": block("top", "web", "deny"), "b.yaml": block("{ before: deny }", "dns") });
    expect(orderAfter(live("theirs"), wanted)).toEqual(["web", "dns", "deny", "theirs"]);
  });

  it("reports the obstacle of each block at its own line", async () => {
    const wanted = await load({ "a.yaml": block("{ after: gone }", "web"), "b.yaml": block("top", "dns", "ntp") });
    const plan = makePlan(planInput(tree(live("dns", "theirs", "ntp")), wanted, { shape: panosShape() }), planGuards);
    const missing = plan.findings.find(({ kind }) => kind === "anchor-missing");
    expect(missing?.message).toContain('"gone"');
    expect(wanted.sources.locate(missing?.origin ?? -1)?.file).toContain("a.yaml");
    const other = await load({ "a.yaml": block("{ after: theirs }", "web"), "b.yaml": block("top", "dns", "ntp") });
    const found = makePlan(planInput(tree(live("dns", "theirs", "ntp", "web")), other, { shape: panosShape() }), planGuards).findings;
    const between = found.find(({ kind }) => kind === "interleaved");
    expect(between?.path.name).toBe("theirs");
    expect(other.sources.locate(between?.origin ?? -1)?.file).toContain("b.yaml");
  });

  it("refuses blocks that are only next to each other", async () => {
    const loading = load({ "a.yaml": block("{ after: dns }", "web"), "b.yaml": block("{ after: web }", "dns") });
    const error = await loading.catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(PlumblineErrors);
    expect((error as PlumblineErrors).errors.map(({ code }) => code)).toEqual(["position-conflict"]);
  });
});
