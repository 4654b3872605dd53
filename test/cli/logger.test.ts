import { expect, it } from "vitest";
import { loggerFor } from "../../src/cli/logger.js";
import { CLEAR_LINE } from "../../src/report/style.js";

function written(isTTY: boolean): string {
  let text = "";
  const logger = loggerFor("warn", { isTTY, write: (line) => (text += line) });
  logger.warn({ target: "edge", pages: 2 }, "looking again");
  logger.info("not asked for");
  return text;
}

it("is JSON for machines", () => {
  expect(JSON.parse(written(false))).toMatchObject({ level: 40, target: "edge", pages: 2, msg: "looking again" });
});

it("is a sentence at a terminal, in place of the progress line", () => {
  expect(written(true)).toBe(`${CLEAR_LINE}  warning looking again  (target edge, pages 2)\n`);
});
