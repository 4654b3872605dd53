import { cachedDataVersionTag } from "node:v8";
import { afterEach, describe, expect, it } from "vitest";
import { putV8FlagsBack, setV8Flag, type V8Flag } from "../../src/core/v8-flags.js";

/** What is compiled under one tag counts under no other: it changes with each flag of V8 that is not as usual. */
const usual = cachedDataVersionTag();
const FLAGS: readonly V8Flag[] = ["wasm-tiering-budget", "interrupt-budget"];
afterEach(() => putV8FlagsBack());

describe("a flag of V8", () => {
  it("is put back as this version of V8 has it: what was compiled before counts again", () => {
    const changed = FLAGS.filter((flag) => {
      const putBack = setV8Flag(flag, 123_456);
      const isSet = cachedDataVersionTag() !== usual;
      putBack();
      expect(cachedDataVersionTag(), flag).toBe(usual);
      return isSet;
    });
    expect(changed).toEqual(process.versions.v8.startsWith("11.") ? FLAGS : ["wasm-tiering-budget"]);
  });

  it("is put back with all others", () => {
    for (const flag of FLAGS) setV8Flag(flag, 123_456);
    expect(cachedDataVersionTag()).not.toBe(usual);
    putV8FlagsBack();
    expect(cachedDataVersionTag()).toBe(usual);
  });

  it("is left as it is by a version that nobody knows", () => {
    setV8Flag("wasm-tiering-budget", 123_456, 99)();
    putV8FlagsBack(99);
    expect(cachedDataVersionTag()).toBe(usual);
  });
});
