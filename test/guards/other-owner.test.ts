import { describe, expect, it } from "vitest";
import { refuseOtherOwners } from "../../src/guards/other-owner.js";
import { changeOf, contextOf } from "./support.js";

const LIST = "/config/shared/address";
const messages = (rows: Record<string, string>, ...paths: string[]) =>
  refuseOtherOwners(
    contextOf({ changes: paths.map((path) => changeOf("differs", path)) }, { otherLedgers: new Map(Object.entries(rows)) }),
  ).map(({ path, message }) => `${path}: ${message}`);

describe("objects in another owner's ledger", () => {
  const row = `${LIST}/entry[@name='a']`;

  it("refuse a change at them, in them, or around them", () => {
    for (const path of [row, `${row}/ip`, LIST, "/config/shared", "/config"])
      expect(messages({ [row]: "b" }, path)).toEqual([`${path}: This object is in the ledger of "b".`]);
  });

  it("do not include neighbours or names with the same prefix", () => {
    expect(messages({ [row]: "b" }, `${LIST}/entry[@name='ab']`, "/config/shared/addres", "/config/vsys")).toEqual([]);
    expect(messages({}, row)).toEqual([]);
  });

  it("may have slashes and quotes in their names", () => {
    const slashes = `${LIST}/entry[@name='10.0.0.0/8']/ip`;
    expect(messages({ [slashes]: "b" }, `${LIST}/entry[@name='10.0.0.0/8']`)).toHaveLength(1);
    expect(messages({ [slashes]: "b" }, LIST)).toHaveLength(1);
    const quoted = `${LIST}/entry[@name="it's/8"]/ip`;
    expect(messages({ [quoted]: "b" }, `${LIST}/entry[@name="it's/8"]`)).toHaveLength(1);
    expect(messages({ [quoted]: "b" }, LIST)).toHaveLength(1);
  });
});
