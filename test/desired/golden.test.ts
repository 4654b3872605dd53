import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PlumblineErrors } from "../../src/core/errors.js";
import { ANY_COMMAND } from "../../src/desired/commands.js";
import { loadDesired } from "../../src/desired/load.js";
import type { LoadedDesired } from "../../src/desired/loaded.js";
import { registryOf } from "../../src/engine/target-kind.js";
import { memoryKind } from "../../src/targets/memory/kind.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { printLoaded, printProblems } from "./print.js";

const CASES = new URL("../cases/desired/", import.meta.url).pathname;
const kinds = registryOf([panosKind, memoryKind]);
const environment = { FW_USER: "netops", FW_PASSWORD: "correct horse", RADIUS_SECRET: "s3cret-of-radius", EMPTY: "" };

/** `PLUMBLINE_UPDATE=1` writes the current messages of the loader. Read the difference. */
const update = process.env.PLUMBLINE_UPDATE === "1";

async function outcome(folder: string): Promise<{ loaded: LoadedDesired | undefined; errors: string }> {
  try {
    const loaded = await loadDesired(join(folder, "plumbline.yaml"), {
      environment,
      kinds,
      today: "2026-03-01",
      resolveSecrets: true,
      mayRun: ANY_COMMAND,
    });
    return { loaded, errors: "" };
  } catch (error) {
    if (!(error instanceof PlumblineErrors)) throw error;
    return { loaded: undefined, errors: printProblems(error.errors).replaceAll(folder, "") };
  }
}

function compare(folder: string, name: string, actual: string): void {
  const file = join(folder, name);
  if (update && actual !== "") writeFileSync(file, actual);
  expect(existsSync(file) ? readFileSync(file, "utf8") : "", name).toBe(actual);
}

describe("golden desired states", () => {
  const folders = readdirSync(CASES);
  it("exist", () => expect(folders.length).toBeGreaterThan(40));
  it.each(folders)("%s", async (name) => {
    const folder = join(CASES, name);
    const { loaded, errors } = await outcome(folder);
    compare(folder, "expected-errors.txt", errors);
    compare(folder, "expected-warnings.txt", loaded === undefined ? "" : printProblems(loaded.warnings));
    compare(folder, "expected.xml", loaded === undefined ? "" : printLoaded(loaded));
  });
});
