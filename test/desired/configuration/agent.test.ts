import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseConfiguration, readParsed } from "../../../src/desired/configuration/read.js";
import { kinds } from "../../../src/targets/registry.js";
import { afterTest } from "../../after-test.js";

/** Returns the visits in parallel of an agent with this number of targets. */
async function slots(targets: number, agent = ""): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "agent-settings-"));
  afterTest(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "plumbline.yaml");
  const rows = Array.from({ length: targets }, (_, at) => `  t${at}: { kind: memory, file: t${at}.xml }`);
  writeFileSync(file, ["format: 1", "owner: netops", "documents: [docs]", agent, "targets:", ...rows, ""].join("\n"));
  const parsed = await parseConfiguration(file, kinds);
  const { configuration } = await readParsed(parsed, { environment: {}, kinds, resolveSecrets: false });
  return configuration.agent.concurrency;
}

it("visits a fifth of the targets in parallel, at least 8 and at most 32, unless concurrency is set", async () => {
  expect(await Promise.all([1, 40, 41, 100, 160, 1_000].map((targets) => slots(targets)))).toEqual([8, 8, 9, 20, 32, 32]);
  expect(await slots(100, "agent: { concurrency: 3 }")).toBe(3);
});
