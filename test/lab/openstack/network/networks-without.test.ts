import { describe, expect, it } from "vitest";
import { networksWithout } from "../../../../src/lab/openstack/network/networks-without.js";

describe("networks without other services", () => {
  it.each([
    [["10.0.0.0/8"], [], ["10.0.0.0/8"]],
    [["10.0.0.0/8"], ["10.0.0.0/8"], []],
    [["10.0.0.0/24"], ["10.0.0.0/8"], []],
    [["10.0.0.0/24"], ["10.0.0.0/26"], ["10.0.0.64/26", "10.0.0.128/25"]],
    [["10.0.0.0/24"], ["10.0.0.0/25", "10.0.0.128/25"], []],
    [["fd00::/16"], ["fd00::/17"], ["fd00:8000::/17"]],
    [["0.0.0.0/0"], ["::/0"], ["0.0.0.0/0"]],
  ])("%j without %j", (some, others, left) => {
    expect(networksWithout(some, others)).toEqual(left);
  });
});
