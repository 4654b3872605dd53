import { describe, expect, it } from "vitest";
import { SESSION_HOURS, Sessions } from "../../../src/agent/page/sessions.js";
import { PlumblineError } from "../../../src/core/errors.js";
import { SecretValue } from "../../../src/core/secret.js";

const TOKEN = new SecretValue("0123456789abcdef0123", "${env:T}");
const clock = { now: 1_000_000 };
const sessions = new Sessions(TOKEN, () => clock.now);

describe("a session", () => {
  it("is read back, by every agent that has the token", () => {
    const cookie = sessions.open("  Zoë ");
    expect(sessions.read(cookie)?.name).toBe("Zoë");
    expect(new Sessions(TOKEN, () => clock.now).read(cookie)).toEqual(sessions.read(cookie));
  });

  it("is over after its hours", () => {
    const cookie = sessions.open("ann");
    clock.now += SESSION_HOURS * 3_600_000 - 1;
    expect(sessions.read(cookie)).toBeDefined();
    clock.now += 1;
    expect(sessions.read(cookie)).toBeUndefined();
  });

  it("is over once closed, and the others are not", () => {
    const [mine, theirs] = [sessions.open("ann"), sessions.open("bob")];
    sessions.close(mine);
    expect(sessions.read(mine)).toBeUndefined();
    expect(sessions.read(theirs)?.name).toBe("bob");
  });

  it("cannot be made up, lengthened or renamed", () => {
    const [until = "", who = "", nonce = "", signature = ""] = sessions.open("ann").split(".");
    const forged = [
      "",
      "...",
      `${Number(until) + 1}.${who}.${nonce}.${signature}`,
      `${until}.${Buffer.from("root").toString("base64url")}.${nonce}.${signature}`,
      `${until}.${who}.${nonce}.${signature}.more`,
      new Sessions(new SecretValue("another-token-0123456", "x"), () => clock.now).open("ann"),
    ];
    for (const cookie of forged) expect(sessions.read(cookie), cookie).toBeUndefined();
  });

  it("has a word of its own against forged requests", () => {
    expect(sessions.read(sessions.open("ann"))?.csrf).not.toBe(sessions.read(sessions.open("ann"))?.csrf);
  });
});

it("refuses a token that can be guessed, without saying it", () => {
  const make = () => new Sessions(new SecretValue("hunter2", "${env:T}"), () => 0);
  expect(make).toThrow(PlumblineError);
  expect(make).toThrow(/^(?!.*hunter2)/);
});
