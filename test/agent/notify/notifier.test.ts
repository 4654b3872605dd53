import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PlumblineError } from "../../../src/core/errors.js";
import { facts, known, outcome, passEnded, problem, T0 } from "../events.js";
import { RecordingServer } from "../recording-server.js";
import { memory, type NotifyWorld, openNotifier } from "./world.js";

interface Wire {
  readonly id: string;
  readonly notices: {
    topic: string;
    target: string | null;
    title: string;
    lines: string[];
    since: string | null;
    by: string | null;
    look: string;
  }[];
}

let server: RecordingServer;
const open: NotifyWorld[] = [];

beforeEach(async () => {
  server = await RecordingServer.start();
});

afterEach(async () => {
  for (const { notifier } of open.splice(0)) await notifier.close();
  await server.close();
});

function webhook(more: object = {}, remembered = memory()): NotifyWorld {
  const world = openNotifier({ hook: { kind: "webhook", url: `${server.url}/in`, ...more } }, { KEY: "k3y" }, remembered);
  open.push(world);
  return world;
}

const drifted = (target = "edge") => passEnded("drifted", { target, drift: [known("web", T0 - 60_000)] });
const inSync = (target = "edge") => passEnded("in-sync", { target });
const bodies = (): Wire[] => server.arrived.map(({ text }) => JSON.parse(text) as Wire);
const titles = (): string[] => bodies().flatMap(({ notices }) => notices.map(({ title }) => title));

describe("a channel", () => {
  it("reports manual changes while a commit waits, and not the waiting ones", async () => {
    const world = webhook();
    const waits = (target: string, held: "rollout" | "refused") => passEnded("pending", { target, waiting: { changes: 18, held } });
    world.notifier.listen(waits("later", "rollout"));
    world.notifier.listen(waits("edge", "refused"));
    world.notifier.listen(passEnded("drifted", { target: "edge", drift: [known("web")], waiting: { changes: 18, held: "refused" } }));
    await world.until(1);
    world.notifier.listen(waits("edge", "refused"));
    await world.until(2);
    await world.notifier.close();
    expect(titles()).toEqual(["edge differs from the repository", "edge: manual changes were reverted"]);
    expect(bodies()[1]?.notices[0]?.lines).toEqual(["The commit still waits: refused."]);
  });

  it("gets a signed message with change, time, author and command", async () => {
    const world = webhook({ secret: "${env:KEY}" });
    world.notifier.listen(drifted());
    await world.until(1);
    const [request] = server.arrived;
    expect(request).toMatchObject({ method: "POST", path: "/in" });
    const time = String(request?.headers["x-plumbline-timestamp"]);
    const signature = createHmac("sha256", "k3y").update(`${time}.${request?.text}`).digest("hex");
    expect(request?.headers["x-plumbline-signature"]).toBe(`sha256=${signature}`);
    expect(bodies()[0]).toMatchObject({
      version: 1,
      id: request?.headers["x-plumbline-delivery"],
      notices: [
        {
          topic: "drift",
          target: "edge",
          title: "edge differs from the repository",
          lines: ["/config/shared/address/entry[@name='web']  is not declared"],
          since: new Date(T0 - 60_000).toISOString(),
          by: "alice",
          commit: "c0ffee",
          look: "plumbline drift --target edge",
        },
      ],
    });
  });

  it("gets its own format, with one key for start and end, unsigned", async () => {
    const body = {
      routing_key: "{secret}",
      event_action: "{open:trigger:resolve}",
      dedup_key: "{key}",
      payload: {
        summary: "{title}",
        source: "{target}",
        severity: "warning",
        custom_details: { by: "{by}", kept: "{none}", lines: ["{text}"], n: 1 },
      },
    };
    const headers = { authorization: "GenieKey {secret}" };
    const world = webhook({ secret: "${env:KEY}", body, headers, overUrl: `${server.url}/{key}/close?by={target}` });
    world.notifier.listen(drifted('a"}{title}'));
    await world.until(1);
    world.notifier.listen(inSync('a"}{title}'));
    await world.until(2);
    const [began, over] = server.arrived;
    const said = JSON.parse(began?.text ?? "") as { dedup_key: string; payload: { custom_details: { lines: string[] } } };
    expect(said).toMatchObject({
      routing_key: "k3y",
      event_action: "trigger",
      payload: {
        summary: 'a"}{title} differs from the repository',
        source: 'a"}{title}',
        custom_details: { by: "alice", kept: "{none}", n: 1 },
      },
    });
    expect(said.payload.custom_details.lines[0]).toContain("/config/shared/address/entry[@name='web']  is not declared");
    expect(began?.headers).toMatchObject({ authorization: "GenieKey k3y", "content-type": "application/json" });
    expect(began?.headers["x-plumbline-signature"]).toBeUndefined();
    expect(JSON.parse(over?.text ?? "")).toMatchObject({ event_action: "resolve", dedup_key: said.dedup_key });
    expect(over?.path).toBe(`/${said.dedup_key}/close?by=${encodeURIComponent('a"}{title}')}`);
  });

  it("gets only changes", async () => {
    const world = webhook();
    world.notifier.listen(inSync());
    world.notifier.listen(drifted());
    await world.until(1);
    for (const event of [drifted(), passEnded("skipped"), inSync()]) world.notifier.listen(event);
    await world.until(2);
    for (const event of [inSync(), drifted()]) world.notifier.listen(event);
    await world.notifier.close();
    expect(titles()).toEqual(["edge differs from the repository", "edge is in sync again", "edge differs from the repository"]);
  });

  it("gets nothing twice after a restart, and changes in the meantime", async () => {
    const remembered = memory();
    const first = webhook({}, remembered);
    first.notifier.listen(drifted());
    first.notifier.listen(drifted("core"));
    await first.notifier.close();
    const second = webhook({}, remembered);
    second.notifier.listen(drifted());
    second.notifier.listen(inSync("core"));
    await second.notifier.close();
    expect(titles()).toEqual(["edge differs from the repository", "core differs from the repository", "core is in sync again"]);
  });

  it("gets simultaneous changes in one message", async () => {
    const world = webhook();
    for (let i = 0; i < 100; i++) world.notifier.listen(drifted(`fw-${i}`));
    await world.notifier.close();
    expect(server.arrived.length).toBeLessThan(4);
    expect(titles()).toHaveLength(100);
  });

  it("that is offline delays no other channel, is retried, and gets the state at that time", async () => {
    const world = webhook();
    server.answers.push("drop", 500);
    world.notifier.listen(drifted());
    world.notifier.listen(drifted("core"));
    const slept = world.clock.nextSleep();
    await world.until(1);
    await slept;
    world.notifier.listen(inSync());
    const again = world.clock.nextSleep();
    world.clock.advance(10_000);
    await world.until(2);
    await again;
    world.clock.advance(60_000);
    await world.until(3);
    expect(world.deliveries.map(({ error }) => (error as PlumblineError | undefined)?.code)).toEqual([
      "notification-not-sent",
      "notification-not-sent",
      undefined,
    ]);
    expect(
      bodies()
        .at(-1)
        ?.notices.map(({ title }) => title),
    ).toEqual(["core differs from the repository"]);
  });

  it("that hangs does not delay the agent's end for long", async () => {
    const remembered = memory();
    const world = webhook({}, remembered);
    server.answers.push("drop", "drop", "drop");
    world.notifier.listen(drifted());
    await world.notifier.close();
    expect(remembered.rows.size).toBe(0);
    const next = webhook({}, remembered);
    server.answers.length = 0;
    next.notifier.listen(drifted());
    await next.notifier.close();
    expect(bodies().at(-1)?.notices).toHaveLength(1);
  });

  it("gets only its targets and changes, and others are recorded", async () => {
    const remembered = memory();
    const world = webhook({ targets: ["edge"], on: ["failed", "source"] }, remembered);
    const failed = (target: string) => passEnded("failed", { target, outcome: outcome({ error: problem() }) });
    world.notifier.listen(drifted());
    world.notifier.listen(failed("core"));
    world.notifier.listen(failed("edge"));
    world.notifier.listen({
      type: "commit-refused",
      commit: "bad",
      inForce: "c0ffee",
      error: problem("commit-unsigned", "no signature"),
      time: T0,
    });
    await world.notifier.close();
    expect(titles()).toEqual(["edge: the pass failed", "commit bad is refused"]);
    expect([...remembered.rows.keys()].sort()).toEqual(["hook drift edge", "hook reach core", "hook reach edge", "hook source"]);
  });

  it("uses the settings of the active commit", async () => {
    const world = webhook();
    const inForce = { type: "commit-in-force", commit: "c1", previous: "c0", author: "Ann", targets: [], time: T0 } as const;
    world.settings = { other: { kind: "webhook", url: `${server.url}/other` } };
    world.notifier.listen(inForce);
    world.notifier.listen(drifted());
    await world.notifier.close();
    expect(server.arrived.map(({ path }) => path)).toEqual(["/other"]);
  });

  it("never shows its secret address in an error", async () => {
    const world = openNotifier({ chat: { kind: "slack", url: "${env:HOOK}" } }, { HOOK: `${server.url}/services/T0/hunter2` });
    open.push(world);
    server.answers.push(403);
    world.notifier.listen(drifted());
    await world.until(1);
    const message = String(world.deliveries[0]?.error);
    expect(message).toContain("answers 403");
    expect(message).not.toContain("hunter2");
  });
});

describe("notifications", () => {
  const pause = { target: undefined, reason: "storm", by: "bob", since: T0, until: T0 + 3_600_000 };

  it.each([
    [
      "a refused plan",
      {
        type: "plan-refused",
        ...facts,
        digest: "d",
        refusals: [{ guard: "deletes", message: "40 % of address would go", path: undefined, allow: undefined }],
        error: problem("plan-refused"),
      },
      "edge: the plan is refused",
      "deletes: 40 % of address would go",
    ],
    [
      "a failed apply",
      { type: "apply-failed", ...facts, error: problem("commit-failed", "no such zone"), attempt: 5, retryAt: undefined },
      "edge: applying c0ffee failed (try 5)",
      "On hold until the next commit.",
    ],
    [
      "a shut window",
      { type: "held", target: "edge", reason: "window", message: "opens at 22:00", until: T0 },
      "edge waits: window",
      "Until 2026-01-05 12:00 UTC.",
    ],
    [
      "a fight",
      { type: "heal-guard-tripped", target: "edge", drift: known("web"), heals: 3 },
      "edge is no longer healed: healed 3 times in an hour, and it keeps returning",
      "Find the cause, then `plumbline resume edge`.",
    ],
    ["a pause", { type: "paused", pause }, "Every target is paused", "Until 2026-01-05 13:00 UTC."],
    [
      "a broken commit",
      { type: "commit-broken", commit: "bad", inForce: "good", errors: [problem("empty-value", "rules is empty")] },
      "commit bad does not load",
      "good stays active.",
    ],
    [
      "a roll-out that stopped",
      { type: "rollout-stopped", commit: "c1", failed: "edge", left: ["a", "b"] },
      "the roll-out of c1 stopped at edge",
      "2 targets keep their configuration.",
    ],
    [
      "a store that fails",
      { type: "store-failed", error: problem("store-full", "the disk is full") },
      "the store cannot be written",
      "the disk is full",
    ],
    [
      "a repository that is away",
      { type: "source-failed", error: problem("git-failed", "no route"), failures: 3, since: T0 },
      "the repository does not answer",
      "no route",
    ],
  ] as const)("%s", async (_, event, title, line) => {
    const world = webhook();
    world.notifier.listen({ ...event, time: T0 } as Parameters<NotifyWorld["notifier"]["listen"]>[0]);
    await world.notifier.close();
    expect(titles()).toEqual([title]);
    expect(bodies()[0]?.notices[0]?.lines).toContain(line);
  });

  it("omit a single failed fetch, a wait in a roll-out, and a pass that others block", async () => {
    const world = webhook();
    world.notifier.listen({ type: "source-failed", error: problem("git-failed"), failures: 1, since: T0, time: T0 });
    world.notifier.listen({ type: "held", target: "edge", reason: "rollout", message: "others first", time: T0 });
    world.notifier.listen(passEnded("held"));
    await world.notifier.close();
    expect(titles()).toEqual([]);
  });

  it("include the end of each", async () => {
    const world = webhook();
    const steps = [
      [
        { type: "held", target: "edge", reason: "window", message: "m", time: T0 },
        { type: "released", target: "edge", reason: "window", time: T0 },
      ],
      [
        { type: "paused", pause, time: T0 },
        { type: "resumed", target: undefined, why: "expired", time: T0 },
      ],
      [passEnded("failed", { outcome: outcome({ error: problem() }) }), inSync()],
      [
        { type: "commit-refused", commit: "bad", inForce: undefined, error: problem(), time: T0 },
        { type: "commit-in-force", commit: "c1", previous: "c0", author: "Ann", targets: [], time: T0 },
      ],
    ] as const;
    let told = 0;
    for (const step of steps)
      for (const event of step) {
        world.notifier.listen(event);
        told += 1;
        await world.until(told);
      }
    expect(titles()).toEqual([
      "edge waits: window",
      "edge is no longer on hold",
      "Every target is paused",
      "Every target is no longer paused: its time is over",
      "edge: the pass failed",
      "edge answers again",
      "commit bad is refused",
      "commit c1 is active",
    ]);
  });
});
