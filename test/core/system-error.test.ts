import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { systemError } from "../../src/core/system-error.js";
import { asPlumblineError } from "../../src/engine/apply/errors.js";

const caught = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

it("reports a refusal of the operating system with its path", async () => {
  const error = asPlumblineError(await caught(readFile("/")), "edge");
  expect(error).toMatchObject({
    code: "system-refused",
    message: expect.stringMatching(/illegal operation on a directory \(read EISDIR\)/),
  });
  const missing = systemError(await caught(readFile("/nowhere/at/all")));
  expect(missing).toMatchObject({ where: { file: "/nowhere/at/all" }, message: expect.stringContaining("(open ENOENT)") });
});

it("does not treat connection errors and internal errors as such", async () => {
  const refused = await caught(new Promise((_, reject) => connect(1, "127.0.0.1").once("error", reject)));
  expect(refused).toBeInstanceOf(Error);
  expect(systemError(refused)).toBeUndefined();
  expect(systemError(new TypeError("x is undefined"))).toBeUndefined();
  expect(asPlumblineError(new TypeError("x is undefined"), "edge").code).toBe("unexpected");
});
