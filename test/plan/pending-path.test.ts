import { expect, it } from "vitest";
import { pendingPath } from "../../src/plan/pending-path.js";

it("returns the node of an uncommitted change, or nothing", () => {
  const xpath = "/config/shared/address/entry[@name='web']";
  expect(String(pendingPath({ xpath }))).toBe(xpath);
  expect(pendingPath({ xpath: "shared address objects" })).toBeUndefined();
  expect(pendingPath({ xpath: "" })).toBeUndefined();
});
