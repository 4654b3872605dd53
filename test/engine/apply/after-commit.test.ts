import { expect, it } from "vitest";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { isOfWhatWasWritten, mayBeUnanswered } from "../../../src/engine/apply/after-commit.js";
import type { ApplySession } from "../../../src/engine/apply/apply-session.js";
import type { Written } from "../../../src/engine/apply/states.js";
import type { Planned } from "../../../src/engine/pass/planner.js";
import { ALL } from "./device-target.js";

const [A, B] = ["a", "b"].map((name) => parsePath(`/config/list/entry[@name='${name}']`));
const planned = (...paths: (typeof A)[]) => ({ plan: { changes: paths.map((path) => ({ kind: "extra", path })) } }) as unknown as Planned;
const session = { facts: { capabilities: ALL }, target: {} } as unknown as ApplySession;
const written = (confirmed: Planned, ...leftOut: (typeof A)[]) =>
  ({ announced: { confirmed: { planned: confirmed } }, sent: { plan: { leftOut } } }) as unknown as Written;

it("a difference after a commit is blamed on the target only for written paths, not for neighbours or omitted parts", () => {
  expect(isOfWhatWasWritten(session, written(planned(A, B)), planned(B))).toBe(true);
  expect(isOfWhatWasWritten(session, written(planned(A)), planned(B))).toBe(false);
  expect(isOfWhatWasWritten(session, written(planned(A, B), B), planned(B))).toBe(false);
  expect(isOfWhatWasWritten(session, written(planned(A, B), B), planned(A))).toBe(true);
});

it("a difference at a path of an unanswered request, of this run or the last days, may come from it: no author is named", () => {
  const record = { paths: [], adopted: [], secrets: {}, unanswered: { [String(A)]: "2026-01-02" } };
  const of = (day: string, ...given: (typeof A)[]) =>
    ({
      facts: { capabilities: ALL },
      target: {},
      ledger: {
        current: { state: "present", record },
        cutOff: new Set(),
        unmarked: new Set(),
        unanswered: new Map(given.map((path) => [String(path), day])),
      },
      context: { options: { selection: {}, machine: { now: () => Date.parse(day) } } },
    }) as unknown as ApplySession;
  expect(mayBeUnanswered(of("2026-01-03"), planned(A))).toBe(true);
  expect(mayBeUnanswered(of("2026-01-03"), planned(B))).toBe(false);
  expect(mayBeUnanswered(of("2026-01-09"), planned(A))).toBe(false);
  expect(mayBeUnanswered(of("2026-01-09", B), planned(A, B))).toBe(true);
});
