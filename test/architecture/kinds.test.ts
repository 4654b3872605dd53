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

/** Kinds that build on another one, with the reason. */
const BUILDS_ON: Readonly<Record<string, { readonly kind: string; readonly reason: string }>> = {
  memory: { kind: "panos", reason: "its file contains the configuration tree of a firewall" },
};

/** Imports of a file of one kind by another folder of `src/targets`, except by the registry. Types are included. */
function importsBetweenKinds(root: string): readonly string[] {
  const folderOf = (file: string): string => /^targets\/([^/]+)\//.exec(file)?.[1] ?? "";
  return importsOf(root)
    .filter(({ from, to }) => {
      const [user, used] = [folderOf(from), folderOf(to)];
      return user !== "" && kinds.has(used) && user !== used && BUILDS_ON[user]?.kind !== used;
    })
    .map(({ from, to }) => `${from} imports ${to}`);
}

describe("a kind imports no other kind", () => {
  it("in src", () => {
    expect(importsBetweenKinds("src")).toEqual([]);
  });

  it("and the rule detects imports of values, of types and by shared folders, and allows shared folders and the registry", () => {
    const house = emptyHouse();
    put(house, "src/targets/contrail/a.ts", 'import { x } from "../openstack/x.js";\n');
    put(house, "src/targets/panos/deep/b.ts", 'import type { X } from "../../contrail/x.js";\n');
    put(house, "src/targets/openstack-client/c.ts", 'import { x } from "../openstack/x.js";\n');
    put(house, "src/targets/openstack/d.ts", 'import { x } from "../openstack-client/x.js";\n');
    put(house, "src/targets/memory/e.ts", 'import { x } from "../panos/x.js";\n');
    put(house, "src/targets/registry.ts", 'import { x } from "./panos/kind.js";\n');
    expect(importsBetweenKinds(join(house, "src")).toSorted()).toEqual([
      "targets/contrail/a.ts imports targets/openstack/x.ts",
      "targets/openstack-client/c.ts imports targets/openstack/x.ts",
      "targets/panos/deep/b.ts imports targets/contrail/x.ts",
    ]);
  });
});

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
    expect([...loadedWith("targets/panos/connections.ts")]).toContain("targets/panos/client/transport.ts");
  });
});
