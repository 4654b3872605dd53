import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddressNames, rangeText } from "../../../src/reachability/format/format-addresses.js";
import { formatServices } from "../../../src/reachability/format/format-services.js";

const END = (1n << 128n) - 1n;

describe("addresses", () => {
  it.each([
    [0x0a000001n, 0x0a000001n, "10.0.0.1"],
    [0x0a000000n, 0x0a0000ffn, "10.0.0.0/24"],
    [0x0a000001n, 0x0a0000ffn, "10.0.0.1-10.0.0.255"],
    [0n, 0xffffffffn, "0.0.0.0/0"],
    [1n << 32n, END, "IPv6"],
    [0x20010db8000000000000000000000000n, 0x20010db8000000000000000000000000n + (1n << 96n) - 1n, "2001:db8::/32"],
    [0x20010db8000000000000000000000001n, 0x20010db8000000000000000000000001n, "2001:db8::1"],
    [0x20010db8000000010000000000000000n, 0x20010db8000000010000000000000000n, "2001:db8:0:1::"],
  ])("%s to %s are %s", (first, last, text) => {
    expect(rangeText({ first, last })).toBe(text);
  });

  it("are written according to RFC 5952", () => {
    const group = fc.oneof(
      { weight: 3, arbitrary: fc.constant(0) },
      fc.integer({ min: 0, max: 0xffff }),
      fc.constantFrom(0x10, 0x100, 0xfd00),
    );
    const groups = fc.tuple(fc.integer({ min: 1, max: 0xffff }), ...Array.from({ length: 7 }, () => group));
    fc.assert(
      fc.property(groups, fc.integer({ min: 16, max: 128 }), (parts, length) => {
        const host = 128n - BigInt(length);
        const first = (parts.reduce((sum, part) => (sum << 16n) | BigInt(part), 0n) >> host) << host;
        const last = first | ((1n << host) - 1n);
        const [address, prefix] = rangeText({ first, last }).split("/");
        // The URL standard serializes IPv6 addresses in the same form.
        const written = Array.from({ length: 8 }, (_, at) => ((first >> BigInt(112 - 16 * at)) & 0xffffn).toString(16)).join(":");
        expect(`[${address}]`).toBe(new URL(`http://[${written}]/`).hostname);
        expect(prefix).toBe(length === 128 ? undefined : String(length));
      }),
      { numRuns: 500 },
    );
  });

  it("can be all, or all except a few", () => {
    const names = new AddressNames([], new Set());
    expect(names.words([{ first: 0n, last: END }])).toBe("any");
    const but = { first: 0x0a000000n, last: 0x0a0000ffn };
    expect(
      names.words([
        { first: 0n, last: but.first - 1n },
        { first: but.last + 1n, last: END },
      ]),
    ).toBe("any but 10.0.0.0/24");
  });
});

describe("services", () => {
  const tcp = (first: number, last = first) => ({ protocol: 6, first, last });
  it.each([
    [[tcp(80), tcp(443), { protocol: 17, first: 53, last: 53 }], "tcp/80,443, udp/53"],
    [[tcp(0, 65_535)], "tcp"],
    [[{ protocol: 89, first: 0, last: 65_535 }], "protocol 89"],
    [Array.from({ length: 256 }, (_, protocol) => ({ protocol, first: 0, last: 65_535 })), "any"],
    [
      [
        ...Array.from({ length: 256 }, (_, protocol) => ({ protocol, first: 0, last: 65_535 })).filter(({ protocol }) => protocol !== 6),
        tcp(0, 442),
        tcp(444, 65_535),
      ],
      "any but tcp/443",
    ],
  ])("%#: %j", (ranges, text) => {
    expect(formatServices(ranges)).toBe(text);
  });
});
