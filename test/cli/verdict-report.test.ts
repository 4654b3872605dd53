import { describe, expect, it } from "vitest";
import { exitCodeOf, render, rowsOf } from "../../src/cli/verdict-report.js";
import { plain } from "../../src/report/style.js";
import type { LookUp } from "../../src/verdict/look-up.js";
import { md5 } from "../verdict/support.js";

const ASKED = Date.UTC(2026, 0, 5);
const facts = { requests: 1, left: 1_049 };

/** Rows for files of these verdicts, named by number. */
function rows(...verdicts: (number | undefined)[]) {
  const subjects = verdicts.map((_, i) => ({ hash: md5(String(i)), name: `file ${i}` }));
  const found: LookUp = {
    requests: 1,
    verdicts: new Map(subjects.map(({ hash }, i) => [hash, { hash, verdict: verdicts[i], asked: ASKED, source: "service" }])),
  };
  return rowsOf(subjects, found);
}

describe("the exit code", () => {
  it.each([
    [[0, 0], 0],
    [[0, -102], 2],
    [[0, undefined], 2],
    [[-100], 2],
    [[-101], 2],
    [[-103], 2],
    [[-7], 2],
    [[0, -102, 1], 3],
    [[2], 3],
    [[4], 3],
    [[5], 3],
    [[99], 3],
  ])("of %j is %i", (verdicts, code) => {
    expect(exitCodeOf(rows(...verdicts))).toBe(code);
  });
});

describe("a report", () => {
  it("as text ends with the worst verdict and a summary", () => {
    const lines = render(rows(1, 0, undefined), facts, "text", plain).split("\n");
    expect(lines).toEqual([
      `benign     ${md5("1")}  file 1`,
      `absent     ${md5("2")}  file 2`,
      `malicious  ${md5("0")}  file 0`,
      "",
      "1 benign · 1 absent · 1 malicious  1 request · 1,049 left today",
      "",
    ]);
  });

  it("as text cannot control the terminal", () => {
    const hash = md5("x");
    const found = { requests: 0, verdicts: new Map([[hash, { hash, verdict: 0, asked: ASKED, source: "cache" as const }]]) };
    const text = render(rowsOf([{ hash, name: "a\u001b[2Jb\u202ec" }], found), facts, "text", plain);
    expect(text).toContain("a\\u001b[2Jb\\u202ec");
  });

  it("as CSV has one line per input, quoted if necessary", () => {
    const hash = md5("x");
    const found = { requests: 0, verdicts: new Map([[hash, { hash, verdict: -102, asked: ASKED, source: "cache" as const }]]) };
    const twice = [
      { hash, name: 'a "b", c' },
      { hash, name: "" },
    ];
    expect(render(rowsOf(twice, found), facts, "csv", plain)).toBe(
      `hash,name,verdict,meaning,standing,source,asked\r\n${hash},"a ""b"", c",-102,unknown,open,cache,2026-01-05T00:00:00.000Z\r\n${hash},,-102,unknown,open,cache,2026-01-05T00:00:00.000Z\r\n`,
    );
  });

  it("as JSON has null for verdicts that the reply omitted", () => {
    const report = JSON.parse(render(rows(undefined), facts, "json", plain));
    expect(report).toEqual({
      summary: { asked: 1, distinct: 1, good: 0, open: 1, bad: 0, requests: 1, left: 1_049 },
      files: [
        {
          hash: md5("0"),
          name: "file 0",
          verdict: null,
          meaning: "absent",
          standing: "open",
          source: "service",
          asked: "2026-01-05T00:00:00.000Z",
        },
      ],
    });
  });
});
