import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { passEnd } from "../../../src/agent/store/from-outcome.js";
import { openStore } from "../../../src/agent/store/open.js";
import { PlumblineError } from "../../../src/core/errors.js";
import { SecretValue } from "../../../src/core/secret.js";
import { SecretLeaf, TreeNode } from "../../../src/core/tree/node.js";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { DesiredNode } from "../../../src/desired/model.js";
import type { TargetOutcome } from "../../../src/outcome/outcome.js";
import type { Plan } from "../../../src/plan/model.js";
import { start, T0 } from "./passes.js";

const folder = mkdtempSync(join(tmpdir(), "plumbline-secrets-"));
afterAll(() => rmSync(folder, { recursive: true }));

const PLAIN = "correct-horse-battery-staple";
const STORED = "-AQ==jUsTaNoThErCiPhErTeXt";

const PATH = parsePath("/config/shared/local-user-database/user/entry[@name='vpn']");

/** A plan that writes a secret, in every place that can hold a tree, over a stored one. */
function outcome(): TargetOutcome {
  const wanted = new DesiredNode("phash", undefined, "${env:VPN_PASSWORD}", [], {
    origin: -1,
    prunes: true,
    declared: true,
    handling: { secret: new SecretValue(PLAIN, "${env:VPN_PASSWORD}") },
  });
  const live = new SecretLeaf("phash", new SecretValue(STORED, "«stored secret»"));
  const entry = new DesiredNode("entry", "vpn", "", [wanted], { origin: -1, prunes: true, declared: true });
  const leaf = PATH.child("phash");
  const changes: Plan["changes"] = [
    { kind: "missing", path: PATH, after: entry },
    { kind: "differs", path: leaf, before: live, after: wanted },
    { kind: "extra", path: leaf, before: new TreeNode("entry", "old", "", [live]), reason: "closed" },
  ];
  const operations: Plan["operations"] = [
    { operation: { action: "set", at: PATH, element: entry }, phase: "create", changes: [0] },
    { operation: { action: "edit", at: leaf, element: wanted }, phase: "update", changes: [1] },
  ];
  return {
    target: "edge",
    kind: "panos",
    warnings: [],
    plan: {
      format: 1,
      target: "edge",
      digest: "d".repeat(64),
      effect: "e".repeat(64),
      remaining: [],
      changes,
      findings: [],
      meaning: [],
      refusals: [{ guard: "meaning", message: `${wanted.handling?.secret}`, path: leaf, allow: undefined }],
      leftOut: [],
      operations,
      batches: [operations],
      commitAfter: [0],
      commitOnly: false,
      foreign: [],
      deletionsUnknown: false,
      owns: [],
    },
    drift: { items: changes.map((change) => ({ change, attribution: { admin: "alice", time: undefined } })), findings: [], pending: [] },
    applied: { operations: 2, requests: 1, commit: "committed", job: "7", lines: ["done"], proven: false },
    error: new PlumblineError("verify-failed", `${new SecretValue(PLAIN, "«secret»")} did not stick`),
  };
}

it("writes no secret to any file of the database", async () => {
  const file = join(folder, "plumbline.db");
  const store = await openStore({ kind: "sqlite", file }, { readOnly: false });
  const end = passEnd(outcome(), { ended: T0, durations: {} });
  await store.passes.record(start(), end);
  expect(await store.drift.open("edge")).toHaveLength(3);
  expect((await store.history.find({ limit: 100, kinds: ["operation"] })).entries).toHaveLength(2);
  expect((await store.plans.get("edge", "d".repeat(64)))?.json).toContain("${env:VPN_PASSWORD}");
  const during = contents();
  await store.close();
  for (const text of [...during, ...contents(), JSON.stringify(end)]) {
    expect(text).not.toContain(PLAIN);
    expect(text).not.toContain(STORED);
  }
  expect(during.some((text) => text.includes("${env:VPN_PASSWORD}"))).toBe(true);
});

function contents(): string[] {
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
}
