import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadHere } from "../../../src/agent/loading/loader.js";
import { parseConfiguration, readParsed } from "../../../src/desired/configuration/read.js";
import { kinds } from "../../../src/targets/registry.js";
import { afterTest } from "../../after-test.js";
import { addresses } from "../world.js";

it("reads changed files of the current commit, not of the previous one", async () => {
  const root = mkdtempSync(join(tmpdir(), "plumbline-loader-"));
  afterTest(() => rmSync(root, { recursive: true }));
  const lay = (name: string, document: string) => {
    mkdirSync(join(root, name, "docs"), { recursive: true });
    writeFileSync(
      join(root, name, "plumbline.yaml"),
      "format: 1\nowner: o\ndocuments: [docs]\ntargets: { a: { kind: memory, file: a.xml } }\n",
    );
    writeFileSync(join(root, name, "docs", "a.yaml"), document);
    return join(root, name, "plumbline.yaml");
  };
  const toLoad = (file: string) => ({
    commit: file,
    author: "Ann",
    file,
    kinds,
    environment: {},
    hidden: [],
    owns: async () => false,
    today: "2026-01-01",
  });
  const file = lay("before", addresses("a", { one: "10.0.0.1" }));
  const parsed = await parseConfiguration(file, kinds);
  const { configuration } = await readParsed(parsed, { environment: {}, kinds, resolveSecrets: false });
  const { targets } = await loadHere(toLoad(file), undefined);
  const before = { commit: "b", author: "Ann", configuration, parsed, targets };
  const aside = lay("aside", "target: a\nscope: vsys1\nconfig: [\n");
  await expect(loadHere(toLoad(aside), { before, changed: ["docs/a.yaml"], folder: "" })).rejects.toThrow("not valid YAML");
});
