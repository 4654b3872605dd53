import { BlockList, isIPv4 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalNetwork } from "../../../src/core/tree/canonical-network.js";

describe("the canonical form of a network", () => {
  it.each([
    ["10.1.0.5/24", "10.1.0.0/24"],
    ["10.1.0.0/24", "10.1.0.0/24"],
    ["255.255.255.255/0", "0.0.0.0/0"],
    ["192.0.2.1/32", "192.0.2.1/32"],
    ["2001:DB8:0:0::5/64", "2001:db8::/64"],
    ["::/0", "::/0"],
    ["::1/128", "::1/128"],
    ["2001:db8::10.0.0.1/128", "2001:db8::a00:1/128"],
  ])("%s is %s", (text, network) => {
    expect(canonicalNetwork(text)).toBe(network);
  });

  it.each(["10.1.0.0", "10.1.0.0/33", "10.1.0/24", "2001:db8::/129", "fe80::1%eth0/64", "10.1.0.0/24/24", "10.1.0.0/ 4", ""])(
    "%j is not a network",
    (text) => {
      expect(canonicalNetwork(text)).toBeUndefined();
    },
  );

  it("contains its address and is its own canonical form", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), fc.nat(128), (address, any) => {
        const length = isIPv4(address) ? any % 33 : any;
        const network = canonicalNetwork(`${address}/${length}`) ?? "";
        expect(canonicalNetwork(network)).toBe(network);
        const [base = "", bits] = network.split("/");
        const family = isIPv4(address) ? "ipv4" : "ipv6";
        const block = new BlockList();
        block.addSubnet(base, Number(bits), family);
        expect(block.check(address, family)).toBe(true);
      }),
    );
  });
});
