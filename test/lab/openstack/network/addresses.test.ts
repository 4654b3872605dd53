import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AddressBook } from "../../../../src/lab/openstack/network/address-book.js";
import { formatAddress, formatBlock, parseAddress, parseBlock, within } from "../../../../src/lab/openstack/network/addresses.js";

describe("addresses", () => {
  it("are read and written in both versions", () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseAddress(text);
        if (address === undefined) throw new Error(text);
        expect(parseAddress(formatAddress(address))).toEqual(address);
      }),
    );
    expect(formatBlock(parseBlock("10.3.0.7/24") ?? fail())).toBe("10.3.0.0/24");
    expect(formatBlock(parseBlock("2001:db8::1:2/64") ?? fail())).toBe("2001:db8::/64");
    for (const bad of ["bad", "10.0.0.0/33", "10.0.0.0/", "1.2.3/8", "10.0.0.0/8/8"]) expect(parseBlock(bad)).toBeUndefined();
    expect([within("10.0.0.0/8", "10.9.9.9"), within("10.0.0.0/8", "11.0.0.0"), within("::/0", "10.0.0.1")]).toEqual([true, false, false]);
  });

  it("are assigned from the lowest, and again once they are free", () => {
    const book = new AddressBook();
    const pools = [{ first: 1n, last: 3n }];
    for (const port of ["a", "b", "c"]) book.take(book.next(pools) ?? 0n, port);
    expect([book.next(pools), book.holder(2n), book.holders]).toEqual([undefined, "b", ["a", "b", "c"]]);
    book.release(2n);
    expect(book.next(pools)).toBe(2n);
  });
});

function fail(): never {
  throw new Error("expected a block");
}
