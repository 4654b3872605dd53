import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, openWorld } from "./world.js";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const read = (file: string) => readFileSync(join(world.folder, file), "utf8");

describe("--report", () => {
  it("writes further formats of the same result", async () => {
    await world.run("adopt edge");
    const { code, out } = await world.run("plan --report markdown=plan.md --report sarif=plan.sarif --report json=plan.json");
    expect(code).toBe(2);
    expect(out).toContain("web-03");
    expect(read("plan.md")).toMatch(/^### Plumbline plan\n/);
    expect(JSON.parse(read("plan.json")).exitCode).toBe(2);
    const places = JSON.parse(read("plan.sarif")).runs[0].results.map(
      (result: { locations: [{ physicalLocation: { artifactLocation: { uri: string } } }] }) =>
        result.locations[0].physicalLocation.artifactLocation.uri,
    );
    expect(places).toContain("desired-state/edge/objects.yaml");
  });

  it("shows in a comment and at the YAML line that the desired state does not load", async () => {
    writeFileSync(
      join(world.folder, "desired-state/edge/bad.yaml"),
      "target: edge\nscope: vsys1\nconfig:\n  address:\n    a: { ip-netmask: }\n",
    );
    const { code, out, err } = await world.run("plan --report markdown=plan.md --report sarif=plan.sarif");
    expect(code).toBe(1);
    expect(out).toBe("");
    expect(err).toContain("empty-value");
    expect(read("plan.md")).toMatch(/⛔ \*\*error\*\* on `desired state`: .*`empty-value`.*bad\.yaml:5/);
    const [result] = JSON.parse(read("plan.sarif")).runs[0].results;
    expect(result.locations[0].physicalLocation).toMatchObject({
      artifactLocation: { uri: "desired-state/edge/bad.yaml" },
      region: { startLine: 5 },
    });
  });

  it("refuses an argument without a format or file", async () => {
    for (const row of ["markdown", "markdown=", "pdf=x", "=x"]) {
      const { code, err } = await world.runWords(["plan", "--report", row]);
      expect(code).toBe(1);
      expect(err).toContain("option-invalid");
    }
  });
});
