import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { insightInProcess } from "../../src/agent/insight-process.js";
import type { PlumblineError } from "../../src/core/errors.js";
import { type BetweenQuestion, type JudgeQuestion, workHere } from "../../src/reachability/changes/analysis.js";
import { ANY_FLOW, type Policy, type Rule } from "../../src/reachability/flows/policy.js";

const built = (file: string): string => new URL(`../../dist/${file}`, import.meta.url).href;
const PROGRAM = fileURLToPath(built("cli.js"));
const words = ["work-out-insight"];
const HEAVY = { time: 60_000, memory: 256, light: 1 };
const LIGHT = { ...HEAVY, light: 1000 };
const ZONES = { type: "universal", from: ["users"], to: ["web"] } as const;

let folder: string;
let stop: AbortController;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-insight-"));
  stop = new AbortController();
});
afterEach(() => {
  stop.abort();
  rmSync(folder, { recursive: true });
});

function rule(name: string, verdict: "allow" | "deny"): Rule {
  const key = { level: "local", group: "", name };
  return { key, origin: { file: "rules.yaml", line: 7 }, zones: ZONES, ...ANY_FLOW, verdict, action: verdict };
}

const policy = (...rules: readonly Rule[]): Policy => {
  return { scope: "vsys1", zones: ["users", "web"], otherZones: false, rules, otherwise: "deny", limits: [] };
};

const closed = policy(rule("one", "deny"), rule("two", "deny"));
const opened = policy(rule("one", "allow"), rule("two", "deny"));
const between: BetweenQuestion = { versions: [closed, opened], stage: undefined };
const judge: JudgeQuestion = {
  scope: "vsys1",
  assertions: [
    {
      said: { name: "closed", description: undefined, verdict: "deny", strict: false, accepted: undefined, where: { line: 3 } },
      some: false,
    },
  ],
  versions: [
    { policy: closed, asked: [{ flows: { zones: ZONES, ...ANY_FLOW }, except: [] }] },
    { policy: opened, asked: [{ flows: { zones: ZONES, ...ANY_FLOW }, except: [] }] },
  ],
};

/** A program that answers as the agent's does, after this. */
function program(what: string): string {
  const file = join(folder, "program.mjs");
  writeFileSync(file, `import { serveInsight } from ${JSON.stringify(built("agent/insight-process.js"))};\n${what}\nserveInsight();\n`);
  return file;
}

const failure = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "answered",
    ({ code, message }: PlumblineError) => `${code}: ${message}`,
  );

describe("the process for large analyses", () => {
  it("gives the same answers as the main process, one question after the other", async () => {
    const work = insightInProcess({ program: PROGRAM, words, limits: HEAVY, stop: stop.signal });
    const answers = await Promise.all([work.between(between), work.judge(judge), work.between({ ...between, versions: [opened, closed] })]);
    expect(answers).toEqual([
      await workHere.between(between),
      await workHere.judge(judge),
      await workHere.between({ ...between, versions: [opened, closed] }),
    ]);
    expect(answers[0]).toMatchObject({ exact: true, rows: [{ change: "opened" }] });
    expect(answers[1]).toMatchObject([{ state: "broken", before: "holds", isByChange: true, where: { line: 3 } }]);
  });

  it("is started again for later questions, and not for small ones", async () => {
    const work = insightInProcess({ program: PROGRAM, words, limits: HEAVY, stop: stop.signal });
    const first = await work.between(between);
    expect(await work.between(between)).toEqual(first);
    const nowhere = join(folder, "nowhere.mjs");
    expect(await insightInProcess({ program: nowhere, limits: LIGHT, stop: stop.signal }).between(between)).toEqual(first);
    expect(await failure(insightInProcess({ program: nowhere, limits: HEAVY, stop: stop.signal }).between(between))).toBe(
      "insight-not-worked-out: The flow analysis failed: the process that did it ended (exit 1).",
    );
  });

  it("counts referenced objects towards the size, each once", async () => {
    const values = Array.from({ length: 40 }, (_, at) => ({ first: BigInt(at), last: BigInt(at) }));
    const inner = { id: "inner", name: "inner", values, members: [], unknowns: [] };
    const group = { id: "group", name: "group", values: [], members: [inner], unknowns: [] };
    const naming = { ...rule("one", "deny"), source: { negated: false, objects: [group] } };
    const asked: BetweenQuestion = { versions: [policy(naming, naming), policy(naming)], stage: undefined };
    const ask = (light: number) =>
      failure(insightInProcess({ program: join(folder, "nowhere.mjs"), limits: { ...HEAVY, light }, stop: stop.signal }).between(asked));
    // Three rules, one member, forty values.
    expect(await ask(44)).toBe("answered");
    expect(await ask(43)).toContain("insight-not-worked-out");
  });

  it("does not delay smaller questions, also if it never answers", async () => {
    const hanging = program(`process.on("message", () => { for (;;); });`);
    const large = policy(...closed.rules, ...closed.rules);
    const work = insightInProcess({ program: hanging, limits: { ...HEAVY, light: 5 }, stop: stop.signal });
    const asked = failure(work.between({ ...between, versions: [large, large] }));
    expect(await work.between(between)).toEqual(await workHere.between(between));
    stop.abort();
    expect(await asked).toBe("interrupted: The run was stopped");
    expect(await failure(work.between({ ...between, versions: [large, large] }))).toBe("interrupted: The run was stopped");
  });

  it("is stopped on timeout, and the next question goes to a new one", async () => {
    const once = join(folder, "once");
    const work = insightInProcess({
      program: program(`
        import { existsSync, writeFileSync } from "node:fs";
        if (!existsSync(${JSON.stringify(once)})) process.on("message", () => { writeFileSync(${JSON.stringify(once)}, ""); for (;;); });`),
      limits: { ...HEAVY, time: 3_000 },
      stop: stop.signal,
    });
    const [first, second] = await Promise.all([failure(work.between(between)), work.judge(judge)]);
    expect(first).toBe("insight-not-worked-out: The flow analysis failed: it takes longer than 3 s.");
    expect(second).toEqual(await workHere.judge(judge));
  });

  it("reports that it was stopped, by any cause, and an out-of-memory affects no other", async () => {
    const killed = program(`process.on("message", () => process.kill(process.pid, "SIGKILL"));`);
    expect(await failure(insightInProcess({ program: killed, limits: HEAVY, stop: stop.signal }).between(between))).toContain(
      "ended (SIGKILL)",
    );
    const greedy = program(`const held = []; process.on("message", () => { for (;;) held.push(new Array(1e6).fill(held)); });`);
    expect(
      await failure(insightInProcess({ program: greedy, limits: { ...HEAVY, memory: 64 }, stop: stop.signal }).between(between)),
    ).toMatch(/ended \((SIGABRT|SIGTRAP|exit \d+)\)/);
  });

  it("returns errors of a question without ending", async () => {
    const work = insightInProcess({ program: PROGRAM, words, limits: HEAVY, stop: stop.signal });
    const broken = { ...between, versions: [closed, { ...opened, rules: undefined as never }] } as BetweenQuestion;
    const [said, next] = await Promise.all([failure(work.between(broken)), work.between(between)]);
    expect(said).toMatch(/undefined/);
    expect(next.rows).toHaveLength(1);
  });
});
