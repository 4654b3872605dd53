import { join } from "node:path";
import { expect, it } from "vitest";
import { expectedFile, goldenText, heavyCases } from "../golden.js";

it.each(heavyCases)("what becomes reachable: %s", async (name) => {
  await expect(await goldenText(name)).toMatchFileSnapshot(join("../../..", expectedFile(name)));
});
