import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { unpackRow } from "../../../src/agent/page/fleet-row.js";
import type { FleetView, HistoryView, SessionView, TargetView } from "../../../src/agent/page/view.js";
import { COMMIT } from "./sample.js";
import { PageWorld, TOKEN } from "./world.js";

let world: PageWorld;
beforeEach(async () => {
  world = await PageWorld.start();
});
afterEach(async () => await world.close());

async function get<T>(path: string): Promise<T> {
  return (await (await fetch(`${world.url}${path}`)).json()) as T;
}

async function post(name: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${world.url}api/${name}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
}

async function signIn(): Promise<{ cookie: string; csrf: string }> {
  const reply = await post("login", { name: "ann", token: TOKEN });
  const { csrf } = (await reply.json()) as SessionView;
  return { cookie: reply.headers.get("set-cookie")?.split(";")[0] ?? "", csrf };
}

describe("reading", () => {
  it("shows the state of the fleet, since when and by whom", async () => {
    const { rows } = await get<FleetView>("api/fleet");
    const row = (name: string) => rows.map(unpackRow).find((each) => each.name === name);
    expect(rows).toHaveLength(58);
    expect(row("fra-edge-a")).toMatchObject({ state: "drifted", drifts: 5, who: "j.novak, m.kovacs", since: world.now / 1000 - 84 * 60 });
    expect(row("mad-dc-b")).toMatchObject({ state: "failed", note: expect.stringContaining("ETIMEDOUT") });
    expect(row("vie-edge-b")).toMatchObject({ state: "refused" });
    expect(row("ams-edge-a")).toMatchObject({ state: "in-sync", since: 0 });
  });

  it("shows a target with its drift and plan", async () => {
    const view = await get<TargetView>("api/target?name=fra-edge-a");
    expect(view.drift).toHaveLength(5);
    expect(view.drift[0]).toMatchObject({
      kind: "differs",
      author: "j.novak",
      before: "<action>allow</action>",
      after: "<action>deny</action>",
    });
    expect(view.plan?.json?.operations).toHaveLength(4);
    const standing = { holding: 11, others: [{ name: "guests-stay-out", state: "broken" }], judged: world.now / 1000 - 6 * 60 };
    expect(view.assertions).toMatchObject(standing);
    expect((await get<TargetView>("api/target?name=ams-edge-a")).assertions).toBeUndefined();
    expect((await fetch(`${world.url}api/target?name=nobody`)).status).toBe(404);
  });

  it("shows the next end dates of a target, and how many there are", async () => {
    const { ends } = await get<TargetView>("api/target?name=ams-edge-a");
    expect(ends?.count).toBe(7);
    expect(ends?.first.map(({ text, isOver }) => [text, isOver])).toEqual([
      ["chg-0", true],
      ...[1, 2, 3, 4, 5].map((at) => [`chg-${at}`, false]),
    ]);
    expect((await get<TargetView>("api/target?name=fra-edge-a")).ends).toBeUndefined();
  });

  it("shows each firewall of a push, and a summary in the fleet", async () => {
    const since = new Date(world.now).toISOString();
    const row = { serial: "0071", hostname: "fw-a", wave: 1, step: "pushing", since, job: "12" } as const;
    const course = { run: "host:7", by: "plumbline", began: since, waves: 1, firewalls: [row], isBack: false };
    await world.events.emit({ type: "push-moved", target: "ams-edge-a", course });
    expect((await get<TargetView>("api/target?name=ams-edge-a")).push).toEqual(course);
    const { rows } = await get<FleetView>("api/fleet");
    expect(rows.map(unpackRow).find(({ name }) => name === "ams-edge-a")?.note).toBe("pushing: 0 of 1 firewall has it, 1 pushing");
    expect((await get<TargetView>("api/target?name=fra-edge-a")).push).toBeUndefined();
  });

  it("pages through the history", async () => {
    const seen = new Set<number>();
    let cursor = "";
    for (let pages = 0; pages < 20; pages++) {
      const page = await get<HistoryView>(`api/history?cursor=${cursor}`);
      for (const { id } of page.rows) seen.add(id);
      cursor = page.next;
      if (cursor === "") break;
    }
    expect(cursor).toBe("");
    expect(seen.size).toBeGreaterThan(100);
    expect((await fetch(`${world.url}api/history?cursor=nonsense`)).status).toBe(400);
  });

  it("filters the history by target, person, kind and time, and refuses other filters", async () => {
    const at = world.now / 1000;
    const { rows } = await get<HistoryView>(`api/history?target=fra-edge-a&person=j.novak&kind=drift&since=${at - 400}&until=${at}`);
    expect(rows.map(({ kind, author }) => `${kind} ${author}`)).toEqual(["drift j.novak", "drift j.novak"]);
    expect((await get<HistoryView>("api/history?person=nobody")).rows).toEqual([]);
    const statuses = ["kind=constructor", "since=yesterday", "until=-1", "since=999999999999999"].map(
      async (query) => (await fetch(`${world.url}api/history?${query}`)).status,
    );
    expect(await Promise.all(statuses)).toEqual([400, 400, 400, 400]);
  });

  it("shows the author and message of the active commit, and the lines of drift and plan", async () => {
    const { meta, rows } = await get<FleetView>("api/fleet");
    const head = { id: COMMIT, author: "Ann Horvath", message: "Guests reach the internet through the proxy alone" };
    expect(meta).toMatchObject({ commit: COMMIT, head, folder: "desired-state" });
    expect(rows.map(unpackRow).find(({ name }) => name === "fra-edge-a")?.labels).toBe("site=fra\nring=canary");
    const view = await get<TargetView>("api/target?name=fra-edge-a");
    expect(view).toMatchObject({ commit: head, driftCommit: COMMIT, plan: { commit: COMMIT } });
    expect(view.drift[0]?.source).toMatchObject({ file: "fra/rules.yaml", line: 41 });
  });

  it.each([
    "",
    "app.js",
    "app.css",
    "icon.svg",
    "api/fleet",
    "api/target?name=fra-edge-a",
    "api/target?name=x",
    "api/session",
    "api/audit",
  ])("/%s carries the policy", async (path) => {
    const { headers } = await fetch(`${world.url}${path}`);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("leaves other paths to the agent", async () => {
    expect((await fetch(`${world.url}healthz`)).status).toBe(200);
    expect((await fetch(`${world.url}nothing`)).status).toBe(404);
    expect((await fetch(`${world.url}../../package.json`)).status).toBe(404);
  });
});

describe("actions", () => {
  const pause = { target: "waw-dc-a", reason: "work", for: "1h" };

  it("require a session, its token against forgery, and a request of the page itself", async () => {
    const { cookie, csrf } = await signIn();
    const status = async (headers: Record<string, string>, name = "pause") => (await post(name, pause, headers)).status;
    expect(await status({})).toBe(401);
    expect(await status({ cookie })).toBe(403);
    expect(await status({ cookie, "x-csrf-token": "x" })).toBe(403);
    expect(await status({ cookie: `${cookie}x`, "x-csrf-token": csrf })).toBe(401);
    expect(await status({ cookie, "x-csrf-token": csrf, origin: "https://evil.example" })).toBe(403);
    expect(await status({ cookie, "x-csrf-token": csrf, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await status({ cookie, "x-csrf-token": csrf, "content-type": "text/plain" })).toBe(400);
    expect(await status({ cookie, "x-csrf-token": csrf }, "constructor")).toBe(404);
    expect(await world.store.pauses.active(world.now)).not.toContainEqual(expect.objectContaining({ target: "waw-dc-a" }));
    expect(await status({ cookie, "x-csrf-token": csrf })).toBe(200);
    expect(await world.store.pauses.active(world.now)).toContainEqual(
      expect.objectContaining({ target: "waw-dc-a", by: 'page token, says "ann"', until: world.now + 3_600_000 }),
    );
  });

  it("report a pause only when nothing writes any longer", async () => {
    const { cookie, csrf } = await signIn();
    const said = async () => ((await (await post("pause", pause, { cookie, "x-csrf-token": csrf })).json()) as { done: string }).done;
    world.atWork.push({ target: "waw-dc-a", runs: ["20260102T000000Z-a-7-ff of netops"] });
    expect(await said()).toBe("No run begins to write to waw-dc-a any more, but waw-dc-a: 20260102T000000Z-a-7-ff of netops still writes.");
    world.atWork.push({ target: "waw-dc-a", runs: undefined, unknown: "it does not answer" });
    expect(await said()).toContain("it is unknown whether an earlier run still writes to waw-dc-a (it does not answer)");
    expect(await said()).toBe("waw-dc-a is paused.");
  });

  it("reconcile enforced targets, and no others", async () => {
    const { cookie, csrf } = await signIn();
    const headers = { cookie, "x-csrf-token": csrf };
    expect((await post("reconcile", { target: "fra-edge-a" }, headers)).status).toBe(202);
    expect((await post("reconcile", { target: "fra-branch-3" }, headers)).status).toBe(409);
    expect((await post("reconcile", { target: "nobody" }, headers)).status).toBe(404);
    expect((await post("reconcile", { all: true }, headers)).status).toBe(404);
    expect(world.asked).toEqual([{ target: "fra-edge-a", wish: "reconcile" }]);
  });

  it("end with a sign-out", async () => {
    const { cookie, csrf } = await signIn();
    const headers = { cookie, "x-csrf-token": csrf };
    expect((await post("logout", {}, headers)).status).toBe(200);
    expect((await post("plan", { target: "fra-edge-a" }, headers)).status).toBe(401);
  });

  it("set a cookie that scripts, other sites and plain connections do not get", async () => {
    const reply = await post("login", { name: "ann", token: TOKEN }, { "x-forwarded-proto": "https" });
    expect(reply.headers.get("set-cookie")).toMatch(
      /^__Host-plumbline_session=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict; Secure$/,
    );
    const plain = await post("login", { name: "ann", token: TOKEN });
    expect(plain.headers.get("set-cookie")).toMatch(/^plumbline_session=[^;]+; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/);
  });

  it("accept over TLS only a cookie that no other host can set", async () => {
    const login = async (name: string) => {
      const reply = await post("login", { name, token: TOKEN }, { "x-forwarded-proto": "https" });
      return reply.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    };
    const [ann, eve] = [await login("ann"), (await login("eve")).replace("__Host-", "")];
    const nameBy = async (cookie: string, headers: Record<string, string> = {}) =>
      ((await (await fetch(`${world.url}api/session`, { headers: { cookie, ...headers } })).json()) as { name: string }).name;
    const tls = { "x-forwarded-proto": "https" };
    expect(await nameBy(`${eve}; ${ann}`, tls)).toBe("ann");
    expect(await nameBy(eve, tls)).toBe("");
    expect(await nameBy(`${eve}; ${ann}`)).toBe("ann");
  });

  it("refuse a wrong token, delay after a few, and accept the right one", async () => {
    const wrong = async () => await post("login", { name: "ann", token: "wrong" });
    const statuses = [];
    for (let i = 0; i < 7; i++) statuses.push((await wrong()).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await wrong()).headers.get("retry-after")).toBe("60");
    expect((await post("login", { name: "ann", token: TOKEN })).status).toBe(200);
    world.advance(61_000);
    expect((await wrong()).status).toBe(401);
  });

  it("lock no user out after sixty wrong tokens from twelve addresses", async () => {
    await world.close();
    world = await PageWorld.start({ trustProxy: ["127.0.0.1"] });
    const from = async (address: string, token: string) =>
      (await post("login", { name: "ann", token }, { "x-forwarded-for": address })).status;
    for (let i = 0; i < 60; i++) expect(await from(`192.0.2.${i % 12}`, "wrong")).toBe(401);
    expect(await from("192.0.2.0", "wrong")).toBe(429);
    expect(await from("198.51.100.1", "wrong")).toBe(401);
    expect(await from("198.51.100.1", TOKEN)).toBe(200);
    expect(await from("192.0.2.0", TOKEN)).toBe(200);
  });
});

it("is read-only without a token", async () => {
  const bare = await PageWorld.start({ token: "" });
  try {
    expect(await (await fetch(`${bare.url}api/session`)).json()).toMatchObject({ name: "", csrf: "", canSignIn: false, may: ["read"] });
    const headers = { "content-type": "application/json" };
    const reply = await fetch(`${bare.url}api/login`, { method: "POST", headers, body: JSON.stringify({ name: "a", token: "" }) });
    expect(reply.status).toBe(403);
  } finally {
    await bare.close();
  }
});
