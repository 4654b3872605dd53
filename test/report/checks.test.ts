import { expect, it } from "vitest";
import type { TargetOutcome } from "../../src/outcome/outcome.js";
import { checkLines, checkNotes } from "../../src/report/checks.js";

const plain = (_: string, text: string) => text;
const outcome: TargetOutcome = {
  target: "edge",
  kind: "panos",
  warnings: [],
  verdicts: [
    { hash: "aa", image: undefined, word: "benign", standing: "good", leniency: "refuse" },
    { hash: undefined, image: "ubuntu", word: "unavailable", standing: "unavailable", leniency: "warn", why: "no answer" },
  ],
  watch: {
    decision: "stands",
    commit: "c0ffee",
    reason: "7 records",
    counts: [{ type: "traffic", query: undefined, found: 7, threshold: 5, before: undefined }],
    samples: ["2026/01/05 08:00:03  rule deny-all"],
    left: [{ xpath: "/config/a", why: "it was changed since" }],
  },
};

it("shows verdicts, the decision, some records and remaining changes", () => {
  expect(checkLines(outcome, plain)).toEqual([
    "",
    "  files",
    "  benign       aa",
    "  unavailable  image ubuntu (no answer)",
    "",
    "  commit not rolled back  7 of 5 traffic records",
    "    2026/01/05 08:00:03  rule deny-all",
    "    stays /config/a: it was changed since",
  ]);
});

it("shows the same to reviewers, one line each", () => {
  expect(checkNotes(outcome).map(({ what, text }) => `${what}: ${text}`)).toEqual([
    "file: aa is benign",
    "file: image ubuntu (no answer) is unavailable",
    "commit not rolled back: 7 records; 7 of 5 traffic records",
    "record: 2026/01/05 08:00:03  rule deny-all",
    "stays: /config/a: it was changed since",
  ]);
});

it("prints nothing without content", () => {
  const quiet = { target: "edge", kind: "panos", warnings: [] };
  expect([checkLines(quiet, plain), checkNotes(quiet)]).toEqual([[], []]);
});
