import { expect, it } from "vitest";
import { monitoring } from "./monitoring.js";
import { pictureOf } from "./terminal.js";

const COLUMNS = 112;

/** `npm run pictures` draws it again. */
it("the README's picture of a plan is what the program shows today", async () => {
  const { run } = await monitoring();
  const { code, shown } = await run("plan");
  expect(code).toBe(2);
  await expect(pictureOf(`\u001b[36m$ plumbline plan\u001b[39m\n${shown}`, COLUMNS)).toMatchFileSnapshot("../../docs/pictures/plan.svg");
});
