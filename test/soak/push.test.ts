import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const script = fileURLToPath(new URL("../../bench/push.mjs", import.meta.url));

/** PLUMBLINE_PUSH_FIREWALLS: number of firewalls. The script reads the labs' own journals and exits with 1 if they contain an error. */
const { PLUMBLINE_PUSH_FIREWALLS: firewalls = "50" } = process.env;

it(`brings changes of each kind to ${firewalls} firewalls, each once and in waves, and has no work on a second pass`, async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, firewalls]);
  expect(stderr).toBe("");
  expect(stdout.trim().split("\n")).toHaveLength(6);
});
