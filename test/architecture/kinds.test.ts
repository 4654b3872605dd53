import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { kinds } from "../../src/targets/registry.js";
import { emptyHouse, put } from "./house.js";
import { importsOf, roomOf } from "./imports.js";

/** Rooms that know their kinds: the targets, and the twins of devices. */
const VENDORS: ReadonlySet<string> = new Set(["targets", "lab"]);

/** Lines outside the vendors' rooms that hold a word of `kind:` as a string of its own: all that a comparison or a switch could use. */
function wordsOfKinds(root: string): readonly string[] {
  const word = new RegExp(`(["'\`])(?:${[...kinds.keys()].join("|")})\\1`);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.tsx?$/.test(file) && !VENDORS.has(roomOf(file)),
  );
  return files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line) => (word.test(line) ? [`${file}: ${line.trim()}`] : [])),
  );
}

describe("the name of a kind", () => {
  it("occurs only in the kind's own folder", () => {
    expect(wordsOfKinds("src")).toEqual([]);
  });

  it("is detected in a comparison, a switch and a set, and allowed where it belongs", () => {
    const house = emptyHouse();
    put(house, "src/engine/a.ts", 'export const a = (kind: string) => kind === "panos";\n');
    put(house, "src/agent/b.ts", "switch (kind) {\n  case 'contrail':\n}\n");
    put(house, "src/cli/c.ts", "export const c = present.has(`openstack`);\n");
    put(house, "src/targets/memory/d.ts", 'export const d = "memory";\n');
    put(house, "src/lab/panos/e.ts", 'export const e = "panos";\n');
    put(house, "src/core/f.ts", "/** An in-memory tree, as panos has. */\n");
    expect(wordsOfKinds(join(house, "src"))).toEqual([
      "agent/b.ts: case 'contrail':",
      "cli/c.ts: export const c = present.has(`openstack`);",
      'engine/a.ts: export const a = (kind: string) => kind === "panos";',
    ]);
  });
});

describe("a kind", () => {
  const imports = importsOf("src").filter(({ words }) => !/import\($|^(?:import|export) type\b/.test(words));

  /** The modules that are loaded with a file, including itself. */
  function loadedWith(file: string): ReadonlySet<string> {
    const loaded = new Set([file]);
    for (const from of loaded) for (const each of imports) if (each.from === from) loaded.add(each.to);
    return loaded;
  }

  it.each([...kinds.keys()])("is described without its client: %s", (word) => {
    const loaded = [...loadedWith(`targets/${word}/kind.ts`)];
    expect(loaded).toContain(`targets/${word}/settings.ts`);
    expect(loaded.filter((file) => roomOf(file) === "http" || /\/(?:client|connections|open|reader|writer)\b/.test(file))).toEqual([]);
  });

  it("has its client behind its connections", () => {
    expect([...loadedWith("targets/panos/connections.ts")]).toContain("targets/panos/client/client.ts");
  });
});
