import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { TargetsOfRun } from "../../../src/engine/pass/targets-per-run.js";
import { runIn } from "../../cli/run-in.js";

const NAMES = ["a", "b", "c", "d"];
const LIVE = `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><tag/></entry></vsys></entry></devices></config>`;
const OBJECTS = "targets: all\nscope: vsys1\nconfig: { tag: { fleet: { comments: COMMENT } } }\n";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-at-once-"));
  git("init", "-q");
  mkdirSync(join(folder, "all"));
  writeFileSync(join(folder, ".gitignore"), "*.xml\nplan.*\n");
  for (const name of NAMES) writeFileSync(fileOf(name), LIVE);
  configure("guards: { targets: 3 }");
  want("first");
  return () => rmSync(folder, { recursive: true, force: true });
});

const fileOf = (name: string): string => join(folder, `${name}.xml`);

function git(...words: string[]): void {
  execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words]);
}

function commit(): void {
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "change");
}

/** `modes`: modes of the targets, enforce by default. */
function configure(more: string, modes: Readonly<Record<string, string>> = {}): void {
  const rows = NAMES.map((name) => `  ${name}: { kind: memory, file: ${name}.xml, mode: ${modes[name] ?? "enforce"} }`);
  writeFileSync(
    join(folder, "plumbline.yaml"),
    ["format: 1", "owner: netops", "documents: [all]", "targets:", ...rows, more, ""].join("\n"),
  );
}

function want(comment: string): void {
  writeFileSync(join(folder, "all", "all.yaml"), OBJECTS.replace("COMMENT", comment));
  commit();
}

/** Its state is no part of the working tree. */
const run = (...words: string[]) => runIn(folder, words, { PLUMBLINE_STATE_DIR: join(folder, ".git", "state") });

/** Targets that have the desired state. */
const written = (comment: string): string[] => NAMES.filter((name) => readFileSync(fileOf(name), "utf8").includes(comment));

describe("more targets than guards.targets in one run", () => {
  it("are refused by plan and reconcile, in text, JSON and Markdown, and nothing is written", async () => {
    const planned = await run("plan", "--report", "json=plan.json", "--report", "markdown=plan.md");
    expect(planned.code).toBe(3);
    expect(planned.out).toContain("refused: targets");
    expect(planned.out).toContain("4 targets would be written in one run: over guards.targets, which is 3.");
    expect(planned.out).toContain("to override once: --allow targets=4");
    const { targets } = JSON.parse(readFileSync(join(folder, "plan.json"), "utf8"));
    expect(targets.map((each: { plan: { refusals: { guard: string }[] } }) => each.plan.refusals.map(({ guard }) => guard))).toEqual(
      NAMES.map(() => ["targets"]),
    );
    expect(readFileSync(join(folder, "plan.md"), "utf8")).toContain("4 targets would be written in one run");
    const refused = await run("reconcile");
    expect(refused.code).toBe(3);
    expect(refused.out).toContain("refused targets");
    expect(written("first")).toEqual([]);
  });

  it("are written with --allow targets=N, not with a smaller N, and few are never refused", async () => {
    expect((await run("reconcile", "--allow", "targets=3")).code).toBe(3);
    expect((await run("plan", "--allow", "targets=4")).code).toBe(2);
    expect((await run("reconcile", "--target", "a", "--target", "b", "--target", "c")).code).toBe(0);
    expect(written("first")).toEqual(["a", "b", "c"]);
    // One target still needs a write. The others are in sync and do not count.
    expect((await run("plan")).code).toBe(2);
    expect((await run("reconcile")).code).toBe(0);
    want("again");
    expect((await run("reconcile", "--allow", "targets=4")).code).toBe(0);
    expect(written("again")).toEqual(NAMES);
  });

  it("count only if they are written, not if observed", async () => {
    configure("guards: { targets: 3 }", { d: "observe" });
    commit();
    expect((await run("plan")).code).toBe(2);
    expect((await run("reconcile")).out).not.toContain("refused");
  });

  it("do not refuse a plan for an agent with waves, and the plan names the flag for a manual run", async () => {
    configure("guards: { targets: 3 }\nagent: { rollout: { canary: [a], batch: 2 } }");
    commit();
    const planned = await run("plan");
    expect(planned.code).toBe(2);
    expect(planned.out).toContain("4 targets would be written: an agent does it in 3 waves, a manual run needs --allow targets=4");
    expect((await run("reconcile")).code).toBe(3);
    // Batches that are larger than the limit are no waves.
    configure("guards: { targets: 3 }\nagent: { rollout: { batch: 4 } }");
    commit();
    expect((await run("plan")).code).toBe(3);
  });
});

describe("targets of one run", () => {
  it("count once if there is something to write", () => {
    const targets = new TargetsOfRun();
    for (const name of ["a", "b", "a"]) targets.note(name, true);
    expect(targets.size).toBe(2);
    targets.note("a", false);
    expect(targets.size).toBe(1);
    // Drift that came up since the run was counted is one more.
    targets.note("c", true);
    expect(targets.size).toBe(2);
  });
});
