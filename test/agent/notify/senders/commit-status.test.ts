import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { facts, known, outcome, passEnded, problem, T0 } from "../../events.js";
import { RecordingServer } from "../../recording-server.js";
import { memory, type NotifyWorld, openNotifier } from "../world.js";

const A = "a".repeat(40);
const B = "b".repeat(40);

let server: RecordingServer;
const open: NotifyWorld[] = [];

beforeEach(async () => {
  server = await RecordingServer.start();
});

afterEach(async () => {
  for (const { notifier } of open.splice(0)) await notifier.close();
  await server.close();
});

function statuses(host: "github" | "gitlab" | "gitea" = "github", remembered = memory()): NotifyWorld {
  const settings = { kind: "commit-status", host, api: `${server.url}/api`, repository: "netops/firewalls", token: "${env:T}" } as const;
  const world = openNotifier({ status: settings }, { T: "t0ken" }, remembered);
  open.push(world);
  return world;
}

const inForce = (commit: string, targets: readonly string[], isFirst = false) =>
  ({ type: "commit-in-force", commit, previous: isFirst ? undefined : A, author: "Ann", targets, time: T0 }) as const;
const said = () =>
  server.arrived.map(({ path, text }) => {
    const { context, state } = JSON.parse(text) as { context: string; state: string };
    return `${path.slice(-3)} ${context} ${state}`;
  });

describe("statuses of a commit", () => {
  it("show whether it was accepted, and its result if it changed something", async () => {
    const world = statuses();
    world.notifier.listen(inForce(B, ["edge"]));
    world.notifier.listen({ type: "held", target: "edge", reason: "window", message: "opens at 22:00", time: T0 });
    await world.until(2);
    const applied = { operations: 3, requests: 1, commit: "committed", job: "4", lines: [], proven: true } as const;
    world.notifier.listen(passEnded("applied", { outcome: outcome({ applied }) }));
    world.notifier.listen(passEnded("in-sync", { target: "core" }));
    await world.until(3);
    world.notifier.listen(passEnded("drifted", { drift: [known("web")] }));
    world.notifier.listen({
      type: "commit-refused",
      commit: A,
      inForce: B,
      error: problem("commit-unsigned", "nobody signed it"),
      time: T0,
    });
    await world.notifier.close();
    expect(said()).toEqual(["bbb plumbline success", "bbb plumbline/edge pending", "bbb plumbline/edge success", "aaa plumbline failure"]);
    expect(server.arrived[0]).toMatchObject({
      method: "POST",
      path: `/api/repos/netops/firewalls/statuses/${B}`,
      headers: { authorization: "Bearer t0ken" },
    });
    expect(JSON.parse(server.arrived[2]?.text ?? "")).toMatchObject({ description: "applied 3 operations, verified" });
  });

  it("are not repeated after a restart, and not sent for earlier commits", async () => {
    const remembered = memory();
    const first = statuses("github", remembered);
    first.notifier.listen(inForce(A, ["edge", "core"], true));
    for (const target of ["edge", "core"]) first.notifier.listen(passEnded("in-sync", { target }));
    await first.notifier.close();
    const before = server.arrived.length;
    const second = statuses("github", remembered);
    second.notifier.listen(inForce(A, ["edge", "core"], true));
    for (const target of ["edge", "core"]) second.notifier.listen(passEnded("in-sync", { target }));
    await second.notifier.close();
    expect(server.arrived).toHaveLength(before);
    const third = statuses("github", remembered);
    third.notifier.listen(inForce(B, ["edge", "core"], true));
    third.notifier.listen(passEnded("in-sync"));
    await third.notifier.close();
    expect(said().slice(before)).toEqual(["bbb plumbline success"]);
  });

  it("have the formats of GitLab and Gitea", async () => {
    const gitlab = statuses("gitlab");
    gitlab.notifier.listen({ type: "plan-refused", ...facts, digest: "d", refusals: [], error: problem(), time: T0 });
    gitlab.notifier.listen(inForce(B, []));
    gitlab.notifier.listen({ type: "commit-broken", commit: A, inForce: B, errors: [problem("empty-value", "rules is empty")], time: T0 });
    await gitlab.notifier.close();
    const gitea = statuses("gitea");
    gitea.notifier.listen(inForce(B, []));
    await gitea.notifier.close();
    const [broken, taken] = server.arrived;
    expect(broken).toMatchObject({ path: `/api/projects/netops%2Ffirewalls/statuses/${A}`, headers: { "private-token": "t0ken" } });
    expect(JSON.parse(broken?.text ?? "")).toEqual({
      name: "plumbline",
      state: "failed",
      description: "1 errors, the first: rules is empty",
    });
    expect(taken).toMatchObject({ path: `/api/repos/netops/firewalls/statuses/${B}`, headers: { authorization: "token t0ken" } });
  });

  it("for a commit unknown to the host are dropped, and a refused token is retried", async () => {
    const world = statuses();
    server.answers.push(404, 401);
    world.notifier.listen(inForce(B, []));
    await world.until(1);
    expect(world.deliveries[0]?.error).toBeUndefined();
    world.notifier.listen(inForce(A, []));
    await world.until(2);
    expect(world.deliveries[1]?.error).toMatchObject({ code: "code-host-token-refused" });
  });
});
