import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { CommitToLoad } from "../../../src/agent/load-commit.js";
import { expectLightVisits, type ProcessorTime } from "../../../src/agent/loading/light-visits.js";
import { loadInProcess } from "../../../src/agent/loading/load-in-process.js";
import { loadHere } from "../../../src/agent/loading/loader.js";
import type { PlumblineError } from "../../../src/core/errors.js";
import { kinds } from "../../../src/targets/registry.js";
import { addresses } from "../world.js";

// Work of the agent on its own loop was loaded before, outside the loop, and is small enough for it.

const PROGRAM = fileURLToPath(new URL("../../../dist/cli/load-commit.js", import.meta.url));

let folder: string;
let wanted: CommitToLoad;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-light-"));
  const target = (name: string) =>
    `  ${name}: { kind: panos, url: "https://192.0.2.1", credentials: { username: u, password: "\${env:PW}" } }\n`;
  const file = join(folder, "plumbline.yaml");
  writeFileSync(file, `format: 1\nowner: o\ndocuments: ['.']\nexclude: ['.git*']\ntargets:\n${target("a")}${target("b")}`);
  for (const name of ["a", "b"]) writeFileSync(join(folder, `${name}.yaml`), addresses(name, { one: "10.0.0.1" }));
  wanted = { commit: "c0ffee", author: "Ann", file, kinds, environment: {}, hidden: [], owns: async () => false, today: "2026-01-01" };
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A clock that moves by `each` milliseconds between one look at it and the next. */
function steps(...each: readonly number[]): ProcessorTime {
  const left = [...each];
  let now = 0;
  return () => {
    now += left.shift() ?? 0;
    return now;
  };
}

it.each([
  ["nothing", [0, 900, 0, 900, 0, 900], undefined],
  ["plumbline.yaml", [0, 1_001], "plumbline.yaml"],
  ["the second target", [0, 900, 0, 900, 0, 1_001], "what target b needs"],
] as const)("of which %s is too heavy", async (_, times, named) => {
  const loaded = await loadHere(wanted, undefined);
  const error = await expectLightVisits(wanted, loaded, 1_000, steps(...times)).catch((cause: unknown) => cause);
  expect((error as PlumblineError | undefined)?.code).toBe(named === undefined ? undefined : "commit-too-heavy");
  expect(`${(error as PlumblineError | undefined)?.message}`).toContain(named ?? "undefined");
});

it("reads only the changed parts of a commit", async () => {
  const loaded = await loadHere(wanted, undefined);
  const changed = { ...loaded, affected: new Set(["a"]) };
  await expect(expectLightVisits(wanted, changed, 1_000, steps(0, 900, 0, 900, 0, 1_001))).resolves.toBeUndefined();
});

it.each([
  ["refused", 0],
  ["loaded", 60_000],
])("the process that loads says so: %s", async (outcome, visit) => {
  const load = loadInProcess({ program: PROGRAM, limits: { time: 60_000, memory: 256, visit }, stop: new AbortController().signal });
  const error = await load(wanted, undefined).then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect((error as PlumblineError | undefined)?.code).toBe(outcome === "refused" ? "commit-too-heavy" : undefined);
});
