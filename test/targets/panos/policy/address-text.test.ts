import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { leadingPrefix, readWildcard, wildcardRanges } from "../../../../src/targets/panos/policy/address-text.js";

describe("a wildcard", () => {
  it("matches addresses that agree in all significant bits", () => {
    const wildcards = fc.record({ base: fc.integer({ min: 0, max: 2 ** 32 - 1 }), bits: fc.uniqueArray(fc.nat(31), { maxLength: 10 }) });
    fc.assert(
      fc.property(wildcards, fc.array(fc.nat(31), { maxLength: 4 }), ({ base, bits }, flips) => {
        const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
        const free = bits.reduce((mask, bit) => (mask | (2 ** bit)) >>> 0, 0);
        const wildcard = readWildcard(`${dotted(base)}/${dotted(free)}`);
        if (wildcard === undefined) throw new Error("a wildcard");
        const asked = flips.reduce((address, bit) => (address ^ (2 ** bit)) >>> 0, base);
        const held = wildcardRanges(wildcard)?.some(({ first, last }) => first <= BigInt(asked) && BigInt(asked) <= last);
        expect(held).toBe(flips.filter((bit) => !bits.includes(bit) && flips.filter((each) => each === bit).length % 2 === 1).length === 0);
        const { first, last } = leadingPrefix(wildcard);
        if (held === true) expect(first <= BigInt(asked) && BigInt(asked) <= last).toBe(true);
      }),
    );
  });

  it("of too many intervals is not listed", () => {
    expect(wildcardRanges({ base: 0, free: 0xaaaaaaaa })).toBeUndefined();
    expect(wildcardRanges({ base: 0, free: 0xffffffff })).toEqual([{ first: 0n, last: 0xffffffffn }]);
  });
});
