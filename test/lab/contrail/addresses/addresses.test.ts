import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatAddress, parseAddress } from "../../../../src/lab/contrail/addresses/ip.js";
import { cidrOf, firstOverlap, holds, hostAt, type Network, parseNetwork } from "../../../../src/lab/contrail/addresses/network.js";

function network(cidr: string): Network {
  const parsed = parseNetwork(cidr);
  if (parsed === undefined) throw new Error(`${cidr} is no network`);
  return parsed;
}

describe("addresses", () => {
  it("have the same form in both directions", () => {
    fc.assert(fc.property(fc.ipV4(), (text) => formatAddress(parseAddress(text) ?? { bits: 32, value: 0n }) === text));
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (value) => {
        expect(parseAddress(formatAddress({ bits: 128, value }))).toEqual({ bits: 128, value });
      }),
    );
  });

  it.each([
    ["2001:0db8:0:0:0:0:0:1", "2001:db8::1"],
    ["::", "::"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:0:2:3:4:5:6:7", "1:0:2:3:4:5:6:7"],
  ])("%s is %s", (text, canonical) => {
    expect(formatAddress(parseAddress(text) ?? { bits: 32, value: 0n })).toBe(canonical);
  });

  it.each(["", "1.2.3", "1.2.3.256", "1::2::3", "1:2:3:4:5:6:7", "g::", "1.2.3.4.5"])("'%s' is invalid", (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });
});

describe("networks", () => {
  it("are stored without host bits", () => {
    expect(cidrOf(network("10.1.0.5/24"))).toBe("10.1.0.0/24");
    expect(cidrOf(network("2001:db8::7/64"))).toBe("2001:db8::/64");
  });

  it("count hosts from either end", () => {
    expect(hostAt(network("10.10.6.0/30"), -1)).toBe("10.10.6.2");
    expect(hostAt(network("10.10.6.0/30"), 1)).toBe("10.10.6.1");
    expect(hostAt(network("2001:db8::/64"), -1)).toBe("2001:db8::ffff:ffff:ffff:fffe");
  });

  it.each(["10.0.0.0/33", "10.0.0.0", "10.0.0.0/x", "::/129", "10.0.0.0/8/8"])("%s is invalid", (cidr) => {
    expect(parseNetwork(cidr)).toBeUndefined();
  });

  it("overlap like a search of all pairs", () => {
    const some = fc.array(fc.tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 28, max: 32 })), { maxLength: 6 });
    fc.assert(
      fc.property(some, (pairs) => {
        const networks = pairs.map(([host, length]) => network(`10.0.0.${host}/${length}`));
        const any = networks.some((a, i) => networks.some((b, j) => i < j && a.first <= b.last && b.first <= a.last));
        expect(firstOverlap(networks) !== undefined).toBe(any);
      }),
    );
  });

  it("of two families neither overlap nor contain each other's addresses", () => {
    expect(firstOverlap([network("::/0"), network("0.0.0.0/0")])).toBeUndefined();
    expect(holds(network("::/0"), parseAddress("1.2.3.4"))).toBe(false);
  });
});
