import { describe, expect, it } from "vitest";
import { Sessions } from "../../../src/agent/page/sessions.js";
import { NO_SIGN_OUTS } from "./no-sign-outs.js";

const HOUR = 3_600_000;
const KEY = Buffer.alloc(32, 7);
const clock = { now: 1_000_000 };
const sessions = new Sessions(KEY, () => clock.now, NO_SIGN_OUTS);
const open = (name: string): string => sessions.open({ how: "token", name }, HOUR);

describe("a session", () => {
  it("is read by every agent with the key", () => {
    const cookie = open("Zoë");
    expect(sessions.read(cookie)).toMatchObject({ how: "token", name: "Zoë", until: clock.now + HOUR });
    expect(new Sessions(KEY, () => clock.now, NO_SIGN_OUTS).read(cookie)).toEqual(sessions.read(cookie));
  });

  it("expires, and is recognised as expired", () => {
    const cookie = open("ann");
    clock.now += HOUR - 1;
    expect(sessions.read(cookie)).toBeDefined();
    expect(sessions.lapsed(cookie)).toBeUndefined();
    clock.now += 1;
    expect(sessions.read(cookie)).toBeUndefined();
    expect(sessions.lapsed(cookie)?.name).toBe("ann");
  });

  it("ends when closed, and others do not", async () => {
    const [mine, theirs] = [open("ann"), open("bob")];
    await sessions.close(mine);
    expect(sessions.read(mine)).toBeUndefined();
    expect(sessions.lapsed(mine)).toBeUndefined();
    expect(sessions.read(theirs)?.name).toBe("bob");
  });

  it("cannot be forged, extended or renamed", () => {
    const [text = "", signature = ""] = open("ann").split(".");
    const changed = (change: object): string => {
      const said = JSON.parse(Buffer.from(text, "base64url").toString()) as object;
      return `${Buffer.from(JSON.stringify({ ...said, ...change })).toString("base64url")}.${signature}`;
    };
    const forged = [
      "",
      ".",
      "...",
      text,
      `${text}.`,
      changed({ until: 9e15 }),
      changed({ name: "root" }),
      changed({ how: "provider", groups: ["admins"] }),
      `${text}.${signature}.more`,
      new Sessions(Buffer.alloc(32, 8), () => clock.now, NO_SIGN_OUTS).open({ how: "token", name: "ann" }, HOUR),
      `${text}.${sessions.read(`${text}.${signature}`)?.csrf}`,
    ];
    for (const cookie of forged) expect(sessions.read(cookie), cookie).toBeUndefined();
  });

  it("has its own token against forged requests", () => {
    expect(sessions.read(open("ann"))?.csrf).not.toBe(sessions.read(open("ann"))?.csrf);
  });
});
