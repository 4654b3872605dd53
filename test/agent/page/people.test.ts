import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { People, type PeopleSettings } from "../../../src/agent/page/people.js";
import { Sessions } from "../../../src/agent/page/sessions.js";
import { PlumblineError } from "../../../src/core/errors.js";
import { SecretValue } from "../../../src/core/secret.js";
import { NO_SIGN_OUTS } from "./no-sign-outs.js";

const WORD = "the-word-for-all-0123";
const ANN = "token-of-ann-01234567";
const sessions = new Sessions(Buffer.alloc(32, 1), () => 0, NO_SIGN_OUTS);
const secret = (text: string): SecretValue => new SecretValue(text, "${env:T}");
const token = (name: string, text: string) => ({ name, secret: secret(text) });

function people(settings: Partial<PeopleSettings>): People {
  return new People({ word: undefined, tokens: [], provider: undefined, rights: [], ...settings }, sessions);
}

describe("a person", () => {
  it("is identified by the token, in full or by its hash, and by nothing else", () => {
    const sha256 = createHash("sha256").update("token-of-bob-01234567").digest("hex");
    const rights = [{ roles: ["read"], signedIn: true }] as const;
    const known = people({ word: secret(WORD), tokens: [token("ann", ANN), { name: "bob", secret: { sha256 } }], rights });
    expect(known.byToken(ANN)).toMatchObject({ how: "token", name: "ann" });
    expect(known.byToken("token-of-bob-01234567")).toMatchObject({ how: "token", name: "bob" });
    expect(known.byToken(WORD)).toMatchObject({ how: "word" });
    for (const wrong of ["", sha256, "ann", ANN.slice(1), `${ANN} `]) expect(known.byToken(wrong), wrong).toBeUndefined();
  });

  it("is in the history with the kind of sign-in", () => {
    const rights = [{ roles: ["pause"], signedIn: true }] as const;
    const known = people({ word: secret(WORD), tokens: [token("ann", ANN)], provider: { host: "login.example.com" }, rights });
    const by = (said: Parameters<People["ofSession"]>[0] | undefined) => (said === undefined ? undefined : known.ofSession(said)?.by);
    expect(by(known.byToken(ANN))).toBe("ann (token)");
    expect(by({ how: "provider", name: "ann", subject: "4711" })).toBe("ann (login.example.com)");
    const word = known.byToken(WORD);
    expect(by(word)).toBe("page token");
    expect(word && by(known.calling(word, ' ann (token)", says "bob '))).toBe('page token, says "ann (token)\\", says \\"bob"');
    expect(known.byToken(WORD.slice(1))).toBeUndefined();
  });

  it("is signed out when the token is removed, or belongs to another name", () => {
    const rights = [{ roles: ["pause"], tokens: ["ann"] }] as const;
    const said = people({ tokens: [token("ann", ANN)], rights }).byToken(ANN);
    if (said === undefined) throw new Error("ann is not known");
    expect(
      people({ tokens: [token("ann", ANN)], rights })
        .ofSession(said)
        ?.access.may("pause", "edge"),
    ).toBe(true);
    expect(people({ tokens: [token("ann", `${ANN}-new`)], rights }).ofSession(said)).toBeUndefined();
    expect(people({ word: secret(WORD) }).ofSession(said)).toBeUndefined();
    expect(
      people({ tokens: [token("ann", ANN)], rights: [{ roles: ["read"], visitors: true }] })
        .ofSession(said)
        ?.access.may("pause", "edge"),
    ).toBe(false);
  });
});

describe("the rights of a person", () => {
  const rights = [
    { roles: ["read"], visitors: true, targets: ["public-*"] },
    { roles: ["plan"], signedIn: true, targets: ["*-edge-?", "lab"] },
    { roles: ["pause", "reconcile"], groups: ["netops"] },
    { roles: ["approve"], people: ["eve"], targets: ["{fra,ams}-dc-*"] },
  ] as const;
  const known = people({ provider: { host: "login.example.com" }, rights });
  const access = (name: string, groups: readonly string[] = []) => known.ofSession({ how: "provider", name, groups })?.access;

  it("come from a matching line of the rights, for its targets, and include reading", () => {
    const bob = access("bob");
    expect([bob?.may("plan", "fra-edge-a"), bob?.may("plan", "lab"), bob?.may("plan", "fra-dc-a")]).toEqual([true, true, false]);
    expect([bob?.may("read", "fra-edge-a"), bob?.may("read", "public-1"), bob?.may("read", "fra-dc-a")]).toEqual([true, true, false]);
    expect([bob?.may("pause", "lab"), bob?.mayEverywhere("read")]).toEqual([false, false]);
    const ops = access("ann", ["netops"]);
    expect([ops?.mayEverywhere("pause"), ops?.mayEverywhere("read"), ops?.mayEverywhere("plan")]).toEqual([true, true, false]);
    expect([access("eve")?.may("approve", "ams-dc-a"), access("eve")?.may("approve", "lon-dc-a")]).toEqual([true, false]);
    expect([known.visitor.access.may("read", "public-1"), known.visitor.access.may("read", "lab")]).toEqual([true, false]);
  });

  it("do not follow from a token's name, or from an unlisted group", () => {
    expect(access("bob", ["token", "eve", "netops2"])?.may("pause", "lab")).toBe(false);
    expect(known.groupsThatCount(["a", "netops", "b"])).toEqual(["netops"]);
  });
});

it("visitors may read everything without any people settings", () => {
  expect(people({}).visitor.access.mayEverywhere("read")).toBe(true);
  expect(people({ word: secret(WORD) }).visitor.access.mayEverywhere("read")).toBe(true);
  expect(people({ word: secret(WORD) }).visitor.access.may("plan", "edge")).toBe(false);
  expect(people({ tokens: [token("ann", ANN)], rights: [{ roles: ["read"], signedIn: true }] }).visitor.access.isAny).toBe(false);
});

describe("refuses to start", () => {
  const read = { roles: ["read"], signedIn: true } as const;
  it.each([
    ["two tokens of one name", { tokens: [token("ann", ANN), token("ann", `${ANN}2`)], rights: [read] }],
    ["one token under two names", { tokens: [token("ann", ANN), token("bob", ANN)], rights: [read] }],
    ["the word for all as somebody's token", { word: secret(ANN), tokens: [token("ann", ANN)], rights: [read] }],
    ["a right of a token that is not there", { tokens: [token("ann", ANN)], rights: [{ roles: ["read"], tokens: ["bob"] }] }],
    ["groups without a provider", { tokens: [token("ann", ANN)], rights: [{ roles: ["read"], groups: ["netops"] }] }],
    ["visitors who press buttons", { rights: [{ roles: ["pause"], visitors: true }] }],
    ["tokens without rights", { tokens: [token("ann", ANN)] }],
    ["a pattern that is none", { rights: [{ roles: ["read"], visitors: true, targets: ["(a*)*"] }] }],
  ] as const)("with %s", (_, settings) => {
    expect(() => people(settings)).toThrow(expect.objectContaining({ code: "page-people-invalid" }));
  });

  it("with a guessable token, without printing it", () => {
    const make = () => people({ word: secret("hunter2") });
    expect(make).toThrow(PlumblineError);
    expect(make).toThrow(/^(?!.*hunter2)/);
    expect(() => people({ tokens: [token("ann", "hunter2")], rights: [read] })).toThrow(
      expect.objectContaining({ code: "page-token-short" }),
    );
  });
});
