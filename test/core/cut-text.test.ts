import { expect, it } from "vitest";
import { loggerFor } from "../../src/cli/logger.js";
import { cutText } from "../../src/core/cut-text.js";
import { PlumblineError } from "../../src/core/errors.js";

const LONG = `${"x".repeat(1_999)}😀${"y".repeat(5_000_000)}`;

it("keeps 2,000 characters and does not split a character", () => {
  expect(cutText("a".repeat(2_000))).toBe("a".repeat(2_000));
  expect(cutText(LONG)).toBe(`${"x".repeat(1_999)}… (5000002 characters omitted)`);
});

it("shortens a device's message in an error", () => {
  const { message } = new PlumblineError("device-refused", `the device refuses it: ${LONG}`);
  expect(message).toMatch(/^the device refuses it: x+… \(\d+ characters omitted\)$/);
  expect(message.length).toBeLessThan(2_100);
});

it.each(["text", "json"] as const)("cuts it in a log of the format %s, at any depth", (format) => {
  let text = "";
  const logger = loggerFor("warn", { write: (part) => (text += part) }, undefined, format);
  logger.warn({ target: "edge", reply: { lines: [LONG] }, err: new Error(LONG) }, LONG);
  expect(text).toContain("characters omitted)");
  expect(text.length).toBeLessThan(15_000);
});
