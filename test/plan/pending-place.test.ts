import { expect, it } from "vitest";
import { placeOf } from "../../src/plan/pending-place.js";

it("is the node that an uncommitted change names, or nowhere in particular", () => {
  const xpath = "/config/shared/address/entry[@name='web']";
  expect(String(placeOf({ xpath }))).toBe(xpath);
  expect(placeOf({ xpath: "shared address objects" })).toBeUndefined();
  expect(placeOf({ xpath: "" })).toBeUndefined();
});
