import { describe, expect, it } from "vitest";
import { isNotice, joinNotices, NOTICES, parseNotices } from "../../../src/engine/ledger/notice-text.js";

const pause = (target: string | undefined, by: string) => ({ target, reason: "r", by, since: 0 });
const approval = (target: string, digest: string, by: string) => ({ target, digest, by, at: 1 });
const text = (pauses: readonly object[], approvals: readonly object[] = []): string => JSON.stringify({ format: 1, pauses, approvals });

describe("notices of two places", () => {
  it("are combined, and the own pause wins if both pause a target", () => {
    const joined = parseNotices(
      joinNotices(text([pause("edge", "ann"), pause(undefined, "ann")]), text([pause("edge", "bob"), pause("core", "bob")])),
    );
    expect(joined.pauses.map(({ target, by }) => `${target} ${by}`)).toEqual(["edge ann", "undefined ann", "core bob"]);
  });

  it("approve a target and digest once, the own ones last, which are kept longest", () => {
    const own = text([], [approval("edge", "1", "ann")]);
    const hidden = text([], [approval("edge", "1", "bob"), approval("edge", "2", "bob"), approval("core", "1", "bob")]);
    expect(parseNotices(joinNotices(own, hidden)).approvals.map(({ target, digest, by }) => `${target} ${digest} ${by}`)).toEqual([
      "edge 2 bob",
      "core 1 bob",
      "edge 1 ann",
    ]);
  });

  it("of a later version are refused", () => {
    const later = JSON.stringify({ format: 2, pauses: [], approvals: [] });
    expect(() => joinNotices(text([]), later)).toThrow("format 2 is not known to this version");
    expect(() => joinNotices(later, text([]))).toThrow("format 2");
  });

  it("are stored where no target can be", () => {
    expect([isNotice(NOTICES), isNotice("edge")]).toEqual([true, false]);
  });
});
