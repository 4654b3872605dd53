import { get } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TargetFacts } from "../../../src/agent/controls.js";
import type { AgentEvent } from "../../../src/agent/events.js";
import { unpackRow } from "../../../src/agent/page/fleet-row.js";
import { jsonReply } from "../../../src/agent/page/reply.js";
import { guarded, type Route } from "../../../src/agent/page/routes.js";
import type { AuditView, FleetView, HistoryView, SessionView, TargetView } from "../../../src/agent/page/view.js";
import { SecretValue } from "../../../src/core/secret.js";
import { FLEET } from "./sample.js";
import { PageWorld } from "./world.js";

const NAMES = ["reader", "edge-night", "operator", "approver", "allower", "nobody"] as const;
type Name = (typeof NAMES)[number];
const tokenOf = (name: Name): string => `token-of-${name}-0123456789`;
const VAULT: TargetFacts = { kind: "panos", mode: "enforce", approve: "required" };
const TARGETS = new Map<string, TargetFacts>([...FLEET, ["vault-a", VAULT]]);

let world: PageWorld;
beforeEach(async () => {
  world = await PageWorld.start({
    token: "",
    targets: TARGETS,
    rollout: { commit: "c0ffee", wave: 1, of: 2, failed: ["waw-dc-a"], open: ["ams-edge-a"], left: ["waw-dc-a"] },
    people: {
      tokens: NAMES.map((name) => ({ name, secret: new SecretValue(tokenOf(name), "${env:T}") })),
      rights: [
        { roles: ["read"], tokens: ["reader"] },
        { roles: ["pause"], tokens: ["edge-night"], targets: ["*-edge-*"] },
        { roles: ["plan", "pause", "reconcile"], tokens: ["operator"] },
        { roles: ["approve"], tokens: ["approver"] },
        { roles: ["allow"], tokens: ["allower"] },
      ],
    },
  });
});
afterEach(async () => await world.close());

function ask(name: Name | "visitor", method: "GET" | "POST", path: string, body?: unknown): Promise<Response> {
  return fetch(`${world.url}${path}`, {
    method,
    headers: {
      ...(name === "visitor" ? {} : { authorization: `Bearer ${tokenOf(name)}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}
const act = async (name: Name | "visitor", what: string, body: object): Promise<[number, string | undefined]> => {
  const reply = await ask(name, "POST", `api/${what}`, body);
  const { error } = (await reply.json()) as { error?: { code: string } };
  return [reply.status, error?.code];
};
const read = async <T>(name: Name, path: string): Promise<T> => (await (await ask(name, "GET", path)).json()) as T;
const told = <T extends AgentEvent["type"]>(type: T) =>
  world.told.filter((event) => event.type === type) as Extract<AgentEvent, { type: T }>[];

const pause = { target: "fra-edge-a", reason: "work", for: "1h" };

describe("a request", () => {
  it("requires its role on its target, and 403 names it", async () => {
    expect(await act("visitor", "pause", pause)).toEqual([401, "signed-out"]);
    expect(await act("nobody", "pause", pause)).toEqual([404, "target-unknown"]);
    expect(await act("reader", "pause", pause)).toEqual([403, "role-missing"]);
    expect(await act("edge-night", "pause", pause)).toEqual([200, undefined]);
    expect(await act("edge-night", "plan", pause)).toEqual([403, "role-missing"]);
    expect(await act("edge-night", "pause", { ...pause, all: true })).toEqual([403, "role-missing"]);
    expect(await act("operator", "pause", { ...pause, all: true })).toEqual([200, undefined]);
    expect(await act("edge-night", "resume", { all: true })).toEqual([403, "role-missing"]);
    expect(await act("approver", "reconcile", pause)).toEqual([403, "role-missing"]);
    expect(await act("operator", "reconcile", pause)).toEqual([202, undefined]);
    expect(world.asked).toEqual([{ target: "fra-edge-a", wish: "reconcile" }]);
    expect(told("act-refused").map(({ by, role, target }) => [by, role, target])).toContainEqual(["reader (token)", "pause", "fra-edge-a"]);
  });

  it("does not distinguish missing from forbidden targets", async () => {
    expect(await act("edge-night", "pause", { ...pause, target: "fra-dc-a" })).toEqual([404, "target-unknown"]);
    expect(await act("edge-night", "pause", { ...pause, target: "no-such" })).toEqual([404, "target-unknown"]);
    for (const name of ["fra-dc-a", "no-such"]) expect((await ask("edge-night", "GET", `api/target?name=${name}`)).status).toBe(404);
  });

  it("is in the history with the name of the token, whatever the request claims", async () => {
    const lies = { by: "root", name: "root", author: "root", person: { by: "root" } };
    const headers = { "x-forwarded-user": "root", "x-remote-user": "root", "x-user": "root" };
    const reply = await fetch(`${world.url}api/reconcile?name=fra-edge-a&by=root`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${tokenOf("operator")}`, "content-type": "application/json" },
      body: JSON.stringify({ ...lies, target: "fra-edge-a" }),
    });
    expect(reply.status).toBe(202);
    await act("operator", "pause", { ...pause, ...lies });
    await act("operator", "resume", { target: "fra-edge-a", ...lies });
    const { entries } = await world.store.history.find({ target: "fra-edge-a", kinds: ["request", "pause", "resume"], limit: 3 });
    expect(entries.map(({ kind, author }) => [kind, author]).sort()).toEqual([
      ["pause", "operator (token)"],
      ["request", "operator (token)"],
      ["resume", "operator (token)"],
    ]);
    expect(JSON.stringify(world.told)).not.toContain("root");
    expect(told("asked").map(({ act: what, by }) => [what, by])).toEqual([
      ["reconcile", "operator (token)"],
      ["pause", "operator (token)"],
      ["resume", "operator (token)"],
    ]);
  });

  it("approves exactly the known plan, with the person's name", async () => {
    const digest = "a".repeat(64);
    const plan = { digest, changes: {}, operations: 2, refusals: 0, commitOnly: false, json: "{}" };
    const start = { target: "vault-a", pass: "plan", trigger: "command", started: world.now, commit: "c", runner: "t:1" } as const;
    const end = { ended: world.now, outcome: "pending", exitCode: 2, reason: undefined, durations: {} } as const;
    await world.store.passes.record(start, { ...end, plan });
    expect((await read<TargetView>("approver", "api/target?name=vault-a")).plan?.waitsForApproval).toBe(true);
    expect(await act("operator", "approve", { target: "vault-a", digest })).toEqual([403, "role-missing"]);
    expect(await act("approver", "approve", { target: "vault-a", digest: "b".repeat(64) })).toEqual([409, "plan-unknown"]);
    expect(await act("approver", "approve", { target: "vault-a", digest: "a".repeat(12) })).toEqual([409, "plan-unknown"]);
    expect(await act("approver", "approve", { target: "fra-edge-a", digest })).toEqual([409, "approval-not-needed"]);
    expect(await world.store.approvals.get("vault-a", digest)).toBeUndefined();
    expect(await act("approver", "approve", { target: "vault-a", digest, by: "root" })).toEqual([202, undefined]);
    expect(await world.store.approvals.get("vault-a", digest)).toMatchObject({ by: "approver (token)", source: "page" });
    expect((await read<TargetView>("approver", "api/target?name=vault-a")).plan?.waitsForApproval).toBe(false);
    // Another press, a moment later, and one on a plan that has been overtaken.
    expect(await act("approver", "approve", { target: "vault-a", digest })).toEqual([200, undefined]);
    const later = { ...plan, digest: "c".repeat(64) };
    await world.store.passes.record({ ...start, started: world.now + 1 }, { ...end, ended: world.now + 1, plan: later });
    expect(await act("approver", "approve", { target: "vault-a", digest })).toEqual([409, "plan-unknown"]);
  });

  it("allows exactly the shown plan and refusals, for a target that the agent writes to", async () => {
    const digest = "aa".repeat(32);
    const flags = ["--allow deletes=47%"];
    const asked = { target: "vie-edge-b", digest, flags };
    expect((await read<TargetView>("allower", "api/target?name=vie-edge-b")).plan?.flags).toEqual(flags);
    expect(await act("approver", "allow", asked)).toEqual([403, "role-missing"]);
    expect(await act("visitor", "allow", asked)).toEqual([401, "signed-out"]);
    expect(await act("allower", "allow", { ...asked, digest: "b".repeat(64) })).toEqual([409, "plan-unknown"]);
    expect(await act("allower", "allow", { ...asked, flags: ["--allow deletes=90%"] })).toEqual([409, "plan-unknown"]);
    expect(await act("allower", "allow", { ...asked, flags: undefined })).toEqual([409, "plan-unknown"]);
    expect(await act("allower", "allow", { target: "fra-branch-3", digest, flags })).toEqual([409, "mode"]);
    const nothing = { target: "fra-edge-a", digest: "9f2c41ab77d0e6534bb21c08f5a0de1947c3b6aa510de2f7183cc9e4b07fd215", flags: [] };
    expect(await act("allower", "allow", nothing)).toEqual([409, "allow-not-possible"]);
    expect(world.allowed).toEqual([]);
    expect(await act("allower", "allow", { ...asked, by: "root" })).toEqual([202, undefined]);
    expect(world.allowed).toEqual([{ ...asked, by: "allower (token)", at: world.now }]);
  });
});

describe("displayed data", () => {
  it("require a sign-in, also metrics", async () => {
    for (const path of ["api/fleet", "api/target?name=fra-edge-a", "api/history", "api/audit", "api/events", "metrics"])
      expect((await ask("visitor", "GET", path)).status, path).toBe(401);
    for (const path of ["", "app.js", "api/session", "healthz"]) expect((await ask("visitor", "GET", path)).status, path).toBe(200);
    expect((await ask("visitor", "GET", "metrics")).headers.get("www-authenticate")).toBe("Bearer");
    expect((await ask("nobody", "GET", "api/fleet")).status).toBe(403);
    expect((await ask("edge-night", "GET", "metrics")).status).toBe(403);
    expect(await (await ask("reader", "GET", "metrics")).text()).toBe("up 1\n");
  });

  it("contain only readable targets", async () => {
    const fleet = await read<FleetView>("edge-night", "api/fleet");
    expect(fleet.rows.map((row) => unpackRow(row).name).filter((name) => !/-edge-/.test(name))).toEqual([]);
    expect(fleet.rows).toHaveLength(16);
    await world.store.pauses.pause({ target: "waw-dc-a", reason: "x", by: "y", since: 0, until: undefined });
    await world.store.history.note({ kind: "alarm", at: world.now, outcome: "o", summary: "of no target, names waw-dc-a" });
    expect(fleet.meta.rollout).toMatchObject({ isStopped: true, failed: [], open: ["ams-edge-a"], left: 1 });
    expect([fleet.meta.head?.author, fleet.meta.head?.message]).toEqual(["Ann Horvath", ""]);
    expect((await read<TargetView>("edge-night", "api/target?name=fra-edge-a")).commit?.message).toBe("");
    const history = await read<HistoryView>("edge-night", "api/history");
    expect(history.rows.length).toBeGreaterThan(10);
    expect(history.rows.filter(({ target }) => !/-edge-/.test(target))).toEqual([]);
    expect((await ask("edge-night", "GET", "api/history?target=waw-dc-a")).status).toBe(404);
    expect((await ask("reader", "GET", "api/history?target=long-gone")).status).toBe(200);
    expect((await read<AuditView>("edge-night", "api/audit")).results).toEqual([]);
    expect((await read<AuditView>("reader", "api/audit")).results).toHaveLength(1);
    expect(JSON.stringify([fleet.meta, history])).not.toContain("waw-dc");
  });

  it("contain the person's rights", async () => {
    expect((await read<TargetView>("edge-night", "api/target?name=fra-edge-a")).may).toEqual(["read", "pause"]);
    expect((await read<SessionView>("operator", "api/session")).may).toEqual(["read", "plan", "pause", "reconcile"]);
    expect(await read<SessionView>("edge-night", "api/session")).toMatchObject({ may: [], seesNothing: false });
    expect(await read<SessionView>("nobody", "api/session")).toMatchObject({ may: [], seesNothing: true });
  });

  it("follow the same rules in the live stream", async () => {
    await read<FleetView>("edge-night", "api/fleet");
    const text = await new Promise<string>((resolve, reject) => {
      let read = "";
      const headers = { authorization: `Bearer ${tokenOf("edge-night")}` };
      const request = get(`${world.url}api/events`, { headers }, (response) => {
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => {
          if (read === "")
            void (async () => {
              await world.store.pauses.pause({ target: "waw-dc-a", reason: "x", by: "y", since: 0, until: undefined });
              await world.events.emit({ type: "resumed", target: "x", why: "command" });
              for (const target of ["ams-dc-a", "waw-dc-a", "ams-edge-a"]) await world.endPass(target, "failed");
            })().catch(reject);
          read += chunk;
          if (read.includes("event: rows")) {
            request.destroy();
            resolve(read);
          }
        });
      });
      request.on("error", (error: NodeJS.ErrnoException) => error.code !== "ECONNRESET" && reject(error));
    });
    expect(text).toContain("ams-edge-a");
    expect(text).not.toContain("-dc-");
  });
});

describe("a session", () => {
  const signIn = async (name: Name, cookie?: string) => {
    const reply = await fetch(`${world.url}api/login`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(cookie === undefined ? {} : { cookie }) },
      body: JSON.stringify({ token: tokenOf(name), name: "somebody else" }),
    });
    const session = (await reply.json()) as SessionView;
    return { session, cookie: reply.headers.get("set-cookie")?.split(";")[0] ?? "" };
  };

  it("belongs to its token's person, and ends with a new sign-in", async () => {
    const first = await signIn("operator");
    expect(first.session).toMatchObject({ name: "operator" });
    const second = await signIn("reader", first.cookie);
    expect(second.cookie).not.toBe(first.cookie);
    expect((await fetch(`${world.url}api/fleet`, { headers: { cookie: first.cookie } })).status).toBe(401);
    expect((await fetch(`${world.url}api/fleet`, { headers: { cookie: second.cookie } })).status).toBe(200);
    expect(told("signed-in").map(({ by }) => by)).toEqual(["operator (token)", "reader (token)"]);
    const { entries } = await world.store.history.find({ kinds: ["sign-in"], limit: 5 });
    expect(entries.map(({ author, summary }) => [author, summary])).toContainEqual(["reader (token)", "from 127.0.0.1"]);
  });

  it("ends its live stream when it ends", async () => {
    const { cookie } = await signIn("reader");
    const ended = new Promise<void>((resolve, reject) => {
      const request = get(`${world.url}api/events`, { headers: { cookie } }, (response) => {
        response.on("data", () => {
          world.advance(12 * 3_600_000);
          world.endPass("ams-dc-a", "failed").catch(reject);
        });
        response.on("end", resolve);
      });
      request.on("error", reject);
    });
    await (await fetch(`${world.url}api/fleet`, { headers: { cookie } })).text();
    await ended;
  });
});

it("wrong tokens are logged with their source address, and counted by it", async () => {
  const wrong = () => fetch(`${world.url}api/fleet`, { headers: { authorization: "Bearer wrong" } });
  const statuses = [];
  for (let i = 0; i < 7; i++) statuses.push((await wrong()).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  expect(told("sign-in-refused")).toHaveLength(5);
  expect(told("sign-in-refused")[0]).toMatchObject({ how: "token", address: "127.0.0.1" });
  expect((await ask("reader", "GET", "api/fleet")).status).toBe(200);
});

it("a route without a role cannot bypass the check", () => {
  expect(guarded("read", "visible", () => jsonReply({})).role).toBe("read");
  // @ts-expect-error A route that names no role is none.
  const without: Route = { answer: () => jsonReply({}) };
  // @ts-expect-error Nor is one that names it without being asked for it.
  const made: Route = { role: "read", scope: "visible", answer: () => jsonReply({}) };
  expect([without, made]).toHaveLength(2);
});
