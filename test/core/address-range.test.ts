import { describe, expect, it } from "vitest";
import { addressRange } from "../../src/core/address-range.js";

describe("an address as text", () => {
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
    "%j is not an address",
    (text) => {
      expect(addressRange(text)).toBeUndefined();
    },
  );
});
