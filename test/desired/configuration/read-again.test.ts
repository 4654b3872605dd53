import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfiguration, readParsed } from "../../../src/desired/configuration/read.js";
import { kinds } from "../../../src/targets/registry.js";

const TEXT = `format: 1
owner: netops
documents: [state]
targets:
  c: { kind: panos, url: "https://c.example", credentials: { username: u, password: "\${env:PW_C}" } }
  a: { kind: panos, url: "https://a.example", credentials: { username: u, password: "\${env:PW_A}" }, modes: { /config/shared: observe } }
  1: { kind: panos, url: "https://1.example", credentials: { username: u, password: "\${env:PW_1}" } }
`;
let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "read-again-"));
  file = join(folder, "plumbline.yaml");
  writeFileSync(file, TEXT);
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Settings of the environment, and those that were read. */
function environment(values: Readonly<Record<string, string>>) {
  const asked = new Set<string>();
  const settings: Record<string, string | undefined> = new Proxy(values, {
    get: (target, name) => {
      asked.add(String(name));
      return target[String(name)];
    },
  });
  return { settings, asked };
}

describe("plumbline.yaml that was parsed before", () => {
  it("gives each target the same settings as a first read", async () => {
    const { settings } = environment({ PW_A: "secret-a", PW_C: "secret-c", PW_1: "secret-1" });
    const parsed = await parseConfiguration(file, kinds);
    for (const targets of [["a"], ["1"], ["a", "c"], ["c"], ["1"], []]) {
      const options = { environment: settings, kinds, targets };
      const again = (await readParsed(parsed, options)).configuration;
      const fresh = (await readParsed(await parseConfiguration(file, kinds), options)).configuration;
      expect(again).toEqual(fresh);
      expect([...again.targets.keys()]).toEqual(["c", "a", "1"]);
      for (const name of targets) {
        const target = again.targets.get(name);
        const password = target?.kind === "panos" ? target.credentials : undefined;
        expect(JSON.stringify(password)).not.toContain("secret");
      }
    }
  });

  it("reads secrets only for the selected targets", async () => {
    const { settings, asked } = environment({ PW_A: "secret-a" });
    const parsed = await parseConfiguration(file, kinds);
    await readParsed(parsed, { environment: settings, kinds, targets: ["a"] });
    await readParsed(parsed, { environment: settings, kinds, targets: ["a"] });
    asked.clear();
    await readParsed(parsed, { environment: settings, kinds, targets: ["a"] });
    expect([...asked].filter((name) => name.startsWith("PLUMBLINE_TARGET_A_")).length).toBeGreaterThan(0);
    expect([...asked].filter((name) => /^PLUMBLINE_TARGET_[C1]_|^PW_[C1]$/.test(name))).toEqual([]);
  });

  it("uses the current environment variables", async () => {
    const parsed = await parseConfiguration(file, kinds);
    const urlOf = async (settings: Readonly<Record<string, string>>) => {
      const { configuration } = await readParsed(parsed, { environment: settings, kinds, targets: ["a"] });
      const target = configuration.targets.get("c");
      return target?.kind === "panos" ? target.url : undefined;
    };
    expect(await urlOf({ PW_A: "x" })).toBe("https://c.example");
    expect(await urlOf({ PW_A: "x", PLUMBLINE_TARGET_C_URL: "https://lab.example" })).toBe("https://lab.example");
  });

  it("reports the same error each time", async () => {
    const parsed = await parseConfiguration(file, kinds);
    const settings = { PW_A: "x", PW_1: "y", PLUMBLINE_TARGET_C_URL: "c.example" };
    for (const targets of [["a"], ["a"], ["1"]]) {
      const reading = readParsed(parsed, { environment: settings, kinds, targets });
      await expect(reading).rejects.toMatchObject({ errors: [{ code: "configuration-invalid", where: { target: "c" } }] });
    }
  });
});
