import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import { endedByStop } from "../../src/core/interrupted.js";

const rights = { where: { target: "edge" }, next: "Give this account the right to write there." };
const stopped = AbortSignal.abort();

describe("the error of a target after a stop of the run", () => {
  it("is the stop if a connection or the ledger failed, without advice about rights", () => {
    const error = endedByStop(new PlumblineError("ledger-unwritable", "git ended with 128", rights), stopped);
    expect(error).toMatchObject({ code: "interrupted", where: { target: "edge" }, next: "Run again." });
    const notices = new PlumblineError("notices-unreadable", "git ended with 128", { ...rights, severity: "refused" });
    expect(endedByStop(notices, stopped)).toMatchObject({ code: "interrupted", severity: "error" });
  });

  it("still reports changes that remain on the target, a refused plan, and a commit that was rolled back", () => {
    const partial = new PlumblineError("ledger-unwritable", "git ended with 128", { ...rights, severity: "partial" });
    const told = endedByStop(partial, stopped);
    expect(told).toMatchObject({ code: "ledger-unwritable", severity: "partial", next: expect.not.stringContaining("right") });
    const refused = new PlumblineError("plan-refused", "too many deletions", { severity: "refused" });
    expect(endedByStop(refused, stopped)).toBe(refused);
    const reverted = new PlumblineError("commit-taken-back", "The commit was rolled back", {});
    expect(endedByStop(reverted, stopped)).toBe(reverted);
  });

  it("is unchanged if the run was not stopped", () => {
    const error = new PlumblineError("ledger-unwritable", "git ended with 128", rights);
    expect(endedByStop(error, new AbortController().signal)).toBe(error);
    expect(endedByStop(error, undefined)).toBe(error);
  });
});
