import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { outcome, planOf } from "../report/outcomes.js";

const quiet = outcome({ plan: planOf({ changes: [], operations: [] }) });
const pending = outcome({ plan: planOf() });
const refused = outcome({ plan: planOf({ refusals: [{ guard: "deletes", message: "", path: undefined, allow: undefined }] }) });
const failed = outcome({ error: new PlumblineError("x", "x") });
const partial = outcome({ error: new PlumblineError("x", "x", { severity: "partial" }) });
const done = outcome({ plan: planOf(), applied: { operations: 2, requests: 1, commit: "committed", job: "1", lines: [], proven: true } });

describe("exitCode", () => {
  it.each([
    ["nothing to do", [quiet], 0],
    ["done", [done, quiet], 0],
    ["pending", [quiet, pending], 2],
    ["refused beats pending", [pending, refused], 3],
    ["an error beats refused", [refused, failed], 1],
    ["partly applied beats all", [failed, partial], 4],
    ["one target written, another failed", [done, failed], 4],
    ["one target written, another refused", [done, refused], 4],
  ])("%s", (_name, outcomes, code) => {
    expect(exitCode(outcomes)).toBe(code);
  });
});
