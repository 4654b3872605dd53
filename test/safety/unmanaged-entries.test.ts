import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { passEnd } from "../../src/agent/store/from-outcome.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { exitCode, type TargetOutcome } from "../../src/outcome/outcome.js";
import { renderJson } from "../../src/report/json.js";
import { renderMarkdown } from "../../src/report/markdown/markdown.js";
import { reportSchema } from "../../src/report/schema.js";
import { plain } from "../../src/report/style.js";
import { renderText } from "../../src/report/text.js";
import { ADDRESS, addresses, BARE, setAddress } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

// Entries that no document declares are no drift outside of rulebases. Reports count them and list them on request.

/** A device with three more addresses than the document declares, and a tag, of which the document declares none. */
async function managed(): Promise<World> {
  const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
  expect((await world.reconcile()).error).toBeUndefined();
  for (const name of ["x", "y"]) world.device.write("alice", [setAddress(ADDRESS, name, "10.9.9.9")]);
  world.device.commit("alice", "by hand", true);
  return world;
}

const LISTED = { pass: { listsUnmanaged: true } };
const paths = ["theirs", "x", "y"].map((name) => `${ADDRESS}/entry[@name='${name}']`);
const lines = (text: string) => text.split("\n").map((line) => line.trim());

function jsonOf(command: "plan" | "drift", outcome: TargetOutcome) {
  const report = JSON.parse(renderJson(command, [outcome]));
  expect(new Ajv().validate(reportSchema, report)).toBe(true);
  return report.targets[0].unmanaged;
}

describe("entries that no document declares, in a list with a declared entry", () => {
  it("are counted in drift and in JSON, and are no drift", async () => {
    const world = await managed();
    const [plan, drift] = [await world.plan(), await world.drift()];
    expect(exitCode([plan, drift])).toBe(0);
    expect(lines(renderText("drift", [drift], plain))).toContain("3 unmanaged entries (list them with --unmanaged)");
    expect(lines(renderMarkdown("drift", [drift]))).toContain("3 unmanaged entries on 1 target (list them with `--unmanaged`).");
    expect([jsonOf("plan", plan), jsonOf("drift", drift)]).toEqual([{ count: 3 }, { count: 3 }]);
    for (const text of [renderText("plan", [plan], plain), renderMarkdown("plan", [plan])]) expect(text).not.toContain("unmanaged entries");
  });

  it("are counted by the agent, also when it writes", async () => {
    const world = await managed();
    expect(passEnd(await world.drift(), { ended: 1, durations: {} }).unmanaged).toBe(3);
    world.want(addresses({ a: "10.0.0.2" }));
    const written = await world.reconcile();
    expect(written.applied?.operations).toBe(1);
    expect(passEnd(written, { ended: 1, durations: {} }).unmanaged).toBe(3);
    expect(passEnd(written, { ended: 1, durations: {}, only: ADDRESS }).unmanaged).toBeUndefined();
    expect(renderText("reconcile", [written], plain)).not.toContain("unmanaged");
  });

  it("are listed with --unmanaged", async () => {
    const world = await managed();
    for (const [command, outcome] of [
      ["plan", await world.plan(LISTED)],
      ["drift", await world.drift(LISTED)],
    ] as const) {
      const text = lines(renderText(command, [outcome], plain));
      expect(text).toContain("3 unmanaged entries");
      expect(text).toEqual(expect.arrayContaining(paths));
      const markdown = renderMarkdown(command, [outcome]);
      expect(markdown).toContain("<summary>edge: 3 unmanaged entries</summary>");
      expect(lines(markdown)).toEqual(expect.arrayContaining(paths.map((path) => `- \`${path}\``)));
      expect(jsonOf(command, outcome)).toEqual({ count: 3, entries: paths });
    }
  });

  it("are not counted in an exclusive list, in a list without declared entries, or outside of --path", async () => {
    const world = await managed();
    const narrowed = await world.plan({ pass: { only: parsePath(`${ADDRESS}/entry[@name='x']`) } });
    expect(narrowed.unmanaged?.count).toBe(1);
    world.want(addresses({ a: "10.0.0.1" }).replace("config:", "owns: { address: exclusive }\nconfig:"));
    expect((await world.plan()).unmanaged?.count).toBe(0);
    world.want("target: edge\nscope: vsys1\nconfig:\n  tag: { ours: {} }\n");
    expect((await world.plan()).unmanaged?.count).toBe(0);
  });

  it("do not fill a comment", async () => {
    const world = await managed();
    for (let n = 0; n < 400; n++) world.device.write("alice", [setAddress(ADDRESS, `more-${n}`, "10.9.9.9")]);
    world.device.commit("alice", "by hand", true);
    const markdown = renderMarkdown("drift", [await world.drift(LISTED)]);
    expect(markdown.length).toBeLessThan(12_000);
    expect(markdown).toMatch(/- … and \d+ more \(`--format json` has them all\)/);
  });
});
