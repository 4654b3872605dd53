import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StaticView } from "../../../src/agent/page/view.js";
import { type CliWorld, openWorld } from "../world.js";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const read = (file: string) => readFileSync(join(world.folder, file), "utf8");

describe("report --html", () => {
  it("writes one page with drift and plan and the JSON report, and nothing to the target", async () => {
    await world.run("adopt edge");
    const { journal } = world.lab.device.state;
    const from = journal.length;
    const { code, out } = await world.run("report --html out");
    expect(code).toBe(2);
    expect(out).toContain(join("out", "index.html"));
    const page = read("out/index.html");
    expect(page).not.toContain("PLUMBLINE_PASSWORD=plumbline");
    const view = JSON.parse(/id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? "") as StaticView;
    const edge = view.targets.edge;
    expect(edge?.drift.length).toBeGreaterThan(0);
    expect(edge?.plan?.json?.operations.length).toBeGreaterThan(0);
    expect(JSON.parse(read("out/report.json")).targets[0].drift.items).toHaveLength(edge?.drift.length ?? 0);
    const asked = journal.slice(from).map(({ action, type }) => action ?? type);
    expect(asked).not.toEqual([]);
    for (const write of ["set", "edit", "delete", "move", "rename", "commit"]) expect(asked).not.toContain(write);
  });

  it("shows failures on the page, too", async () => {
    writeFileSync(join(world.folder, "ca.pem"), "");
    const { code } = await world.run("report --html out", { PLUMBLINE_TARGET_EDGE_URL: "https://127.0.0.1:1" });
    expect(code).toBe(1);
    expect(read("out/index.html")).toContain('"failed"');
  });
});
