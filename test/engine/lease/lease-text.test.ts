import { describe, expect, it } from "vitest";
import { decodeLease, encodeLease, type LeaseText } from "../../../src/engine/lease/lease-text.js";
import { NewerFormat } from "../../../src/engine/ledger/newer-format.js";

const LEASE: LeaseText = { run: "r", who: "ann@noc-1", counter: 3, beat: 7, held: true, freeAfter: 900_000, at: 5 };
const withField = (name: string, value: unknown): LeaseText =>
  decodeLease(JSON.stringify({ ...(JSON.parse(encodeLease(LEASE)) as object), [name]: value }));

describe("a lease as text", () => {
  it("is read back, also released and without a clock", () => {
    const bare = { ...LEASE, who: undefined, held: false, at: undefined };
    expect([decodeLease(encodeLease(LEASE)), decodeLease(encodeLease(bare))]).toEqual([LEASE, bare]);
  });

  it("is held only if its text declares it, with valid names and times", () => {
    expect([withField("held", "true").held, withField("held", 1).held, withField("who", 3).who, withField("at", "5").at]).toEqual([
      false,
      false,
      undefined,
      undefined,
    ]);
  });

  it.each<[string, unknown, string]>([
    ["run", 1, "run is not text"],
    ["counter", "3", "counter is not a number"],
    ["counter", null, "counter is not a number"],
    ["beat", undefined, "beat is not a number"],
    ["freeAfter", "900000", "freeAfter is not a number"],
  ])("whose %s is %j cannot be read", (name, value, message) => {
    expect(() => withField(name, value)).toThrow(message);
  });

  it("of another format is not read", () => {
    expect(() => withField("format", 2)).toThrow(NewerFormat);
    expect(() => decodeLease("[]")).toThrow("not an object");
    expect(() => decodeLease(encodeLease(LEASE).replace('"beat": 7', '"beat": 1e999'))).toThrow("beat is not a number");
  });
});
