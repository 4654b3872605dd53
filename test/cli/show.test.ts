import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, openWorld } from "./world.js";

/** Commands whose output is no answer: they go on until they are stopped, or print a script. */
const WITHOUT = ["agent", "lab", "completion", "help", "lsp"];

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

async function helpOf(...words: string[]): Promise<string> {
  return (await world.runWords([...words, "--help"])).out;
}

async function answer(line: string, code = 0): Promise<Record<string, unknown>> {
  const { code: found, out, err } = await world.run(`${line} --format json`);
  expect(found, err).toBe(code);
  return JSON.parse(out) as Record<string, unknown>;
}

describe("--format json", () => {
  it("is available for every command with a result", async () => {
    const commands = [...(await helpOf()).matchAll(/^ {2}([a-z]+)(?: .*)?$/gm)].map(([, name = ""]) => name);
    expect(commands.length).toBeGreaterThan(20);
    const lacking: string[] = [];
    for (const name of commands) {
      const help = name === "pr" ? await helpOf("pr", "comment") : await helpOf(name);
      if (!/--format <format>[\s\S]*?"json"/.test(help)) lacking.push(name);
    }
    expect(lacking.sort()).toEqual([...WITHOUT].sort());
  });

  it("contains all errors of validate", async () => {
    expect(await answer("validate")).toMatchObject({ valid: true, targets: 1, errors: [] });
    const { code, out } = await world.run("validate --format json --config /nowhere/plumbline.yaml");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ valid: false, errors: [{ code: expect.any(String), message: expect.any(String) }] });
  });

  it("covers status, explain, pause, adopt, doctor, import and page", async () => {
    expect(await answer("status")).toMatchObject({ exitCode: 0, targets: [{ target: "edge", sync: { state: "unknown" } }] });
    const rule = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";
    const { out } = await world.runWords(["explain", `${rule}/entry[@name='web-to-db']`, "--format", "json"]);
    expect(JSON.parse(out)).toMatchObject({ targets: [{ target: "edge", standing: "declared", source: { file: expect.any(String) } }] });
    expect(await answer("adopt edge")).toMatchObject({ targets: [{ target: "edge", paths: expect.any(Array) }] });
    expect(await answer("doctor edge")).toMatchObject({
      targets: [{ target: "edge", capabilities: { locks: true }, facts: { hostname: expect.any(String) } }],
    });
    expect(await answer("pause edge --reason later")).toMatchObject({ target: "edge", unsure: [] });
    expect(await answer("resume edge")).toMatchObject({ target: "edge", wasPaused: true });
    expect(await answer("import edge --out imported")).toMatchObject({
      folder: "imported",
      written: expect.arrayContaining([expect.any(String)]),
    });
    expect(await answer("report --html page", 2)).toMatchObject({ page: expect.stringContaining("index.html") });
  });
});

describe("--quiet", () => {
  it("prints the last line of a text report, and failures", async () => {
    await world.run("adopt edge");
    expect((await world.run("plan --quiet")).out).toMatch(/^Plan: 1 target to change \(.*\)\. Nothing was written\.\n$/);
    expect((await world.run("reconcile --quiet")).out).toBe("Result: 1 target changed (7 operations).\n");
    const { out } = await world.run("plan -q", { PLUMBLINE_PASSWORD: "wrong" });
    expect(out).toContain("error");
    expect(out.trimEnd().split("\n").at(-1)).toBe("Plan: 1 failed (edge). Nothing was written.");
  });
});
