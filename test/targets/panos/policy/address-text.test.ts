import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addressRange, leadingPrefix, readWildcard, wildcardRanges } from "../../../../src/targets/panos/policy/address-text.js";

describe("the text of an address", () => {
  it.each([
    ["10.1.2.3", 0x0a010203n, 0x0a010203n],
    ["10.1.2.3/24", 0x0a010200n, 0x0a0102ffn],
    ["0.0.0.0/0", 0n, 0xffffffffn],
    ["::/0", 0n, (1n << 128n) - 1n],
    ["::/96", 0n, 0xffffffffn],
    ["10.0.0.9 - 10.0.1.0", 0x0a000009n, 0x0a000100n],
    ["2001:db8::1/127", 0x20010db8000000000000000000000000n, 0x20010db8000000000000000000000001n],
    ["::ffff:10.0.0.1", 0xffff0a000001n, 0xffff0a000001n],
  ])("%s is a range, IPv4 within ::/96", (text, first, last) => {
    expect(addressRange(text)).toEqual({ first, last });
  });

  it.each(["", "10.0.0", "10.0.0.9-10.0.0.1", "10.0.0.1/33", "10.0.0.1-::1", "fe80::1%eth0", "10.0.0.1/a", "10.0.0.1/8/8", "web-1"])(
    "%j is none",
    (text) => {
      expect(addressRange(text)).toBeUndefined();
    },
  );
});

describe("a wildcard", () => {
  it("holds what agrees with it in all bits that count", () => {
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

  it("of more intervals than can be looked at is not listed", () => {
    expect(wildcardRanges({ base: 0, free: 0xaaaaaaaa })).toBeUndefined();
    expect(wildcardRanges({ base: 0, free: 0xffffffff })).toEqual([{ first: 0n, last: 0xffffffffn }]);
  });
});
