import { describe, expect, it } from "vitest";
import { Sessions } from "../../../src/agent/page/sessions.js";
import type { SessionView } from "../../../src/agent/page/view.js";
import type { SignOuts } from "../../../src/agent/store/store.js";
import { afterTest } from "../../after-test.js";
import { onEachDatabase } from "../store/each-database.js";
import { NO_SIGN_OUTS } from "./no-sign-outs.js";
import { PageWorld, TOKEN } from "./world.js";

const HOUR = 3_600_000;
const KEY = Buffer.alloc(32, 7);

onEachDatabase("a sign-out", (database) => {
  it("survives a restart, and counts for the other agents of the store", async () => {
    const clock = { now: 1_000_000 };
    const store = await database.store();
    const agent = () => new Sessions(KEY, () => clock.now, store.signOuts);
    const [one, other] = [agent(), agent()];
    const [closed, open] = [one.open({ how: "token", name: "ann" }, HOUR), one.open({ how: "token", name: "bob" }, HOUR)];
    await other.recheck(closed);
    expect(other.read(closed)?.name).toBe("ann");
    expect(await one.close(closed)).toBe(true);
    for (const each of [one, other, agent()]) {
      await each.recheck(closed);
      await each.recheck(open);
      expect(each.read(closed)).toBeUndefined();
      expect(each.lapsed(closed)).toBeUndefined();
      expect(each.read(open)?.name).toBe("bob");
    }
  });

  it("is deleted after the session would have ended", async () => {
    const clock = { now: 1_000_000 };
    const { signOuts } = await database.store();
    const sessions = new Sessions(KEY, () => clock.now, signOuts);
    const openOne = () => sessions.open({ how: "token", name: "ann" }, HOUR);
    for (let hour = 0; hour < 5; hour++) {
      for (const cookie of [openOne(), openOne(), openOne()]) await sessions.close(cookie);
      expect(await signOuts.all(0)).toHaveLength(3);
      clock.now += HOUR;
      expect(await signOuts.all(clock.now)).toEqual([]);
    }
  });
});

describe("a store that does not answer", () => {
  const failing = async () => {
    throw new Error("no store");
  };

  it("refuses sessions until sign-outs are known, and then accepts known sessions", async () => {
    let broken: Partial<SignOuts> = { all: failing };
    const store: SignOuts = {
      add: (...given) => ({ ...NO_SIGN_OUTS, ...broken }).add(...given),
      has: (...given) => ({ ...NO_SIGN_OUTS, ...broken }).has(...given),
      all: (...given) => ({ ...NO_SIGN_OUTS, ...broken }).all(...given),
    };
    const sessions = new Sessions(KEY, () => 0, store);
    const cookie = sessions.open({ how: "token", name: "ann" }, HOUR);
    await expect(sessions.recheck(cookie)).rejects.toThrow("no store");
    broken = {};
    await sessions.recheck(cookie);
    broken = { add: failing, has: failing, all: failing };
    await sessions.recheck(cookie);
    expect(sessions.read(cookie)?.name).toBe("ann");
    expect(await sessions.close(cookie)).toBe(false);
    expect(sessions.read(cookie)).toBeUndefined();
  });
});

describe("the page", () => {
  it("refuses a cookie that was signed out before a restart or at another agent", async () => {
    const first = await PageWorld.start();
    afterTest(() => first.close());
    const json = { "content-type": "application/json" };
    const body = JSON.stringify({ token: TOKEN, name: "ann" });
    const reply = await fetch(`${first.url}api/login`, { method: "POST", headers: json, body });
    const cookie = reply.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const { csrf } = (await reply.json()) as SessionView;
    const nameAt = async (world: PageWorld) =>
      ((await (await fetch(`${world.url}api/session`, { headers: { cookie } })).json()) as SessionView).name;
    const running = await PageWorld.start({ sharedStore: first.store, fill: async () => undefined });
    afterTest(() => running.close());
    expect([await nameAt(first), await nameAt(running)]).toEqual(["ann", "ann"]);
    await fetch(`${first.url}api/logout`, { method: "POST", headers: { ...json, cookie, "x-csrf-token": csrf }, body: "{}" });
    const restarted = await PageWorld.start({ sharedStore: first.store, fill: async () => undefined });
    afterTest(() => restarted.close());
    for (const world of [first, running, restarted]) {
      expect(await nameAt(world)).toBe("");
      const headers = { ...json, cookie, "x-csrf-token": csrf };
      const pause = await fetch(`${world.url}api/pause`, {
        method: "POST",
        headers,
        body: JSON.stringify({ target: "fra-edge-a", reason: "x" }),
      });
      expect(pause.status).toBe(401);
    }
  });
});
