import { pino } from "pino";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../src/agent/events.js";
import { logEvents } from "../../src/agent/log.js";
import { Stopwatch } from "../../src/agent/stopwatch.js";
import { during, observed, observing } from "../../src/core/observe.js";
import { SecretValue } from "../../src/core/secret.js";
import { facts, known, outcome, passEnded, problem, T0 } from "./events.js";

/** Returns the log after `events`. */
function logged(events: readonly AgentEvent[], durations: Record<string, number> = {}): Record<string, unknown>[] {
  const lines: string[] = [];
  const logger = pino({ level: "info", base: null }, { write: (line: string) => void lines.push(line) });
  const listener = logEvents(logger, () => durations);
  for (const event of events) listener(event);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("the log of an agent", () => {
  it("has one line per pass, with target, commit, digest, counts and durations", () => {
    const plan = { digest: "d1g3st", changes: [1, 2], operations: [1], refusals: [] } as unknown as NonNullable<
      ReturnType<typeof outcome>["plan"]
    >;
    const applied = { operations: 1, requests: 1, commit: "committed", job: "12", lines: [], proven: true } as const;
    const started = { type: "pass-started", ...facts, time: T0 } as const;
    const lines = logged([started, passEnded("applied", { outcome: outcome({ plan, applied }) })], { read: 120, commit: 900 });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 30,
      event: "pass-ended",
      target: "edge",
      pass: 7,
      commit: "c0ffee",
      result: "applied",
      digest: "d1g3st",
      counts: { drift: 0, changes: 2, operations: 1, refusals: 0, applied: 1, requests: 1 },
      job: "12",
      milliseconds: 250,
      durations: { read: 120, commit: 900 },
    });
  });

  it("has at most 20 lines about the drift of a pass, and the number of the others", () => {
    const drift = Array.from({ length: 50 }, (_, at): AgentEvent => ({ type: "drift-appeared", ...facts, ...known(`a${at}`), time: T0 }));
    const lines = logged([...drift, passEnded("drifted")]);
    expect(lines.filter(({ event }) => event === "drift-appeared")).toHaveLength(20);
    expect(lines.filter(({ event }) => event === "drift-omitted")).toMatchObject([{ target: "edge", omitted: 30 }]);
  });

  it("contains errors with their level", () => {
    const refused = problem("plan-refused");
    Object.assign(refused, { severity: "refused" });
    const levels = logged([
      passEnded("failed", { outcome: outcome({ error: problem() }) }),
      passEnded("refused", { outcome: outcome({ error: refused }) }),
      { type: "source-failed", error: problem("git-failed"), failures: 1, since: T0, time: T0 },
      { type: "heal-guard-tripped", target: "edge", heals: 3, drift: known("a"), time: T0 },
    ]).map(({ level, event, error }) => [level, event, (error as { code?: string } | undefined)?.code]);
    expect(levels).toEqual([
      [50, "pass-ended", "device-unreachable"],
      [40, "pass-ended", "plan-refused"],
      [50, "source-failed", "git-failed"],
      [50, "heal-guard-tripped", undefined],
    ]);
  });

  it("contains the place of the declared value of a drift", () => {
    const declaredAt = { file: "objects.yaml", line: 7, column: 3 };
    const [near, elsewhere] = logged([
      { type: "drift-appeared", ...facts, ...known("a"), declaredAt, time: T0 },
      { type: "drift-appeared", ...facts, ...known("b"), time: T0 },
    ]);
    expect(near).toMatchObject({ source: "objects.yaml:7" });
    expect(elsewhere).not.toHaveProperty("source");
  });

  it("shows a secret as its reference, wherever it is", () => {
    const secret = new SecretValue("hunter2", "${env:PW}");
    const held = { type: "held", target: "edge", reason: "paused", message: "m", until: secret as unknown as number, time: T0 } as const;
    const text = JSON.stringify(logged([held, { ...held, message: { deep: [secret] } as unknown as string }]));
    expect(text).toContain("${env:PW}");
    expect(text).not.toContain("hunter2");
  });
});

describe("a stopwatch", () => {
  it("sums stages by target, and restarts on request", async () => {
    let now = 0;
    const stopwatch = new Stopwatch(() => now);
    const stage = (name: string, milliseconds: number) =>
      during(name, async () => {
        now += milliseconds;
      });
    await observing(stopwatch.observer(), () =>
      during(
        "visit",
        async () => {
          await during("pass", async () => {
            await stage("read", 10);
            await stage("read", 5);
            await observed(
              { target: "edge", kind: "panos", call: "op" },
              () => 200,
              async () => undefined,
            );
          });
        },
        { target: "edge" },
      ),
    );
    expect(stopwatch.take("edge")).toEqual({ read: 15, pass: 15 });
    expect(stopwatch.take("edge")).toEqual({});
  });
});
