import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type RunningVerdictLab, startVerdictLab } from "../../src/lab/lab.js";
import { reportSchema } from "../../src/report/schema.js";
import { type CliWorld, openWorld } from "./world.js";

let world: CliWorld;
let verdicts: RunningVerdictLab;
beforeEach(async () => {
  [world, verdicts] = await Promise.all([openWorld(), startVerdictLab({ plainHttp: true })]);
});
afterEach(async () => {
  await Promise.all([world.close(), verdicts.close()]);
});

const md5 = (word: string): string => createHash("md5").update(`plumbline lab: ${word}`).digest("hex");
const service = () => ({ PLUMBLINE_VERDICT_URL: verdicts.plainUrl ?? "", PLUMBLINE_VERDICT_KEY: "lab-verdict-key" });

/** Adds a list of artifacts to the desired state. */
function want(artifacts: string): void {
  const file = join(world.folder, "desired-state/edge/files.yaml");
  writeFileSync(file, `target: edge\nscope: shared\nartifacts: ${artifacts}\n`);
  world.commit("files");
}

it("plan shows the verdict of each file, and exits 0 if all are clean", async () => {
  await world.run("adopt edge");
  expect((await world.run("reconcile")).code).toBe(0);
  want(`{ hashes: [${md5("benign")}] }`);
  const text = await world.run("plan", service());
  expect(text.code).toBe(0);
  expect(text.out).toContain(`files\n  benign  ${md5("benign")}`);
  const report = JSON.parse((await world.run("plan --format json", service())).out);
  expect(report.targets[0].verdicts).toEqual([{ hash: md5("benign"), verdict: "benign", standing: "good" }]);
  expect(new Ajv().validate(reportSchema, report)).toBe(true);
  expect((await world.run("plan --format markdown", service())).out).toContain("no changes");
  expect(verdicts.state.journal).toHaveLength(1);
});

it("a malicious file refuses before anything is written", async () => {
  want(`{ hashes: [${md5("malicious")}] }`);
  const plan = await world.run("plan", service());
  expect(plan.code).toBe(3);
  expect(plan.out).toContain(`the file ${md5("malicious")} is malicious`);
  expect((await world.run("plan --format markdown", service())).out).toContain("refused: verdict");
  const reconcile = await world.run("reconcile", service());
  expect(reconcile.code).toBe(3);
  expect(world.lab.device.state.commits).toEqual([]);
});

it("for an unknown file or an unavailable service the document decides, and no key is shown", async () => {
  await world.run("adopt edge");
  const unknown = "0".repeat(32);
  want(`{ hashes: [${unknown}] }`);
  expect((await world.run("plan", service())).code).toBe(3);
  want(`{ hashes: [${unknown}], onUnknown: warn }`);
  const warned = await world.run("plan", service());
  expect([warned.code, warned.out.includes(`the file ${unknown} is unknown`)]).toEqual([2, true]);
  await verdicts.close();
  const other = md5("benign");
  want(`{ hashes: [${other}] }`);
  const down = await world.run("plan", service());
  expect(down.code).toBe(3);
  expect(down.out).toContain("onUnavailable: warn");
  want(`{ hashes: [${other}], onUnavailable: warn }`);
  expect((await world.run("plan", service())).code).toBe(2);
  expect((await world.run("plan")).out).toContain("No verdict service is named");
  expect(down.out + down.err).not.toContain("lab-verdict-key");
  expect(readFileSync(join(world.folder, "desired-state/edge/files.yaml"), "utf8")).toContain(other);
});
