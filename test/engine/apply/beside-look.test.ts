import { describe, expect, it } from "vitest";
import { BesideLook } from "../../../src/engine/apply/beside-look.js";

/** The calls count themselves. */
function counting(fails = false) {
  let asked = 0;
  return new BesideLook(async () => {
    asked += 1;
    if (fails) throw new Error(`asked ${asked} times`);
    return asked;
  });
}

describe("requests next to a poll of a job", () => {
  it("are not repeated if the job had ended then", async () => {
    const beside = counting();
    beside.atLook(true);
    expect(await beside.answers()).toBe(1);
    expect(await beside.answers()).toBe(1);
  });

  it("are sent when needed if no poll was made, or the job continued", async () => {
    expect(await counting().answers()).toBe(1);
    const beside = counting();
    for (const mayEnd of [false, true, false, false]) beside.atLook(mayEnd);
    expect(await beside.answers()).toBe(2);
  });

  it("are reused from the last poll", async () => {
    const beside = counting();
    expect(await beside.seen()).toBeUndefined();
    beside.atLook(true);
    expect(await beside.seen()).toBe(1);
    const failing = counting(true);
    failing.atLook(true);
    expect(await failing.seen()).toBeUndefined();
  });

  it("fail only for their user", async () => {
    const beside = counting(true);
    beside.atLook(true);
    await expect(beside.answers()).rejects.toThrow("asked 1 times");
    counting(true).atLook(true);
  });
});
