import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { loadDesired } from "../../src/desired/load.js";
import type { DesiredNode } from "../../src/desired/model.js";
import { registryOf } from "../../src/engine/target-kind.js";
import { memoryKind } from "../../src/targets/memory/kind.js";

const kinds = registryOf([memoryKind]);
const TARGETS = { a: "x", b: "x", c: "y", d: "y" } as const;
const NAMES = ["one", "two", "three"] as const;
const folder = mkdtempSync(join(tmpdir(), "plumbline-layers-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The text that one document declares for one address. */
interface Said {
  readonly description?: string | undefined;
  readonly address?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}
type Document = Readonly<Partial<Record<(typeof NAMES)[number], Said>>>;

interface World {
  readonly all: Document;
  readonly x: Document;
  readonly y: Document;
  readonly a: Document;
  readonly d: Document;
  /** The value `v` by default, of the group and of the target. */
  readonly values: readonly [string, string | undefined, string | undefined];
}

const word = fc.constantFrom("p", "q", "r", "${value:v}", "mostly ${value:v}");
const said = fc.record(
  {
    description: word,
    address: fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3"),
    tags: fc.uniqueArray(fc.constantFrom("s", "t", "u"), { minLength: 1 }),
  },
  { requiredKeys: [] },
);
const document = fc.record({ one: said, two: said, three: said }, { requiredKeys: [] });
const value = fc.constantFrom("v1", "v2", "v3");
const world: fc.Arbitrary<World> = fc.record({
  all: document,
  x: document,
  y: document,
  a: document,
  d: document,
  values: fc.tuple(value, fc.option(value, { nil: undefined }), fc.option(value, { nil: undefined })),
});

/** Computes each address of a target by the rules of docs/desired-state.md#several-targets, in another way than the loader. */
function expected(world: World, target: keyof typeof TARGETS): Record<string, unknown> {
  const [byDefault, ofGroup, ofTarget] = world.values;
  const v = (target === "a" ? ofTarget : undefined) ?? (TARGETS[target] === "x" ? ofGroup : undefined) ?? byDefault;
  const layers = [world.all, world[TARGETS[target]], ...(target === "a" || target === "d" ? [world[target]] : [])];
  const found: Record<string, unknown> = {};
  for (const name of NAMES) {
    const all = layers.flatMap((layer) => layer[name] ?? []);
    if (all.length === 0) continue;
    const last = <Key extends keyof Said>(key: Key): Said[Key] => all.map((each) => each[key]).findLast((each) => each !== undefined);
    const tags = new Set(all.flatMap((each) => each.tags ?? []));
    found[name] = {
      "ip-netmask": last("address"),
      description: last("description")?.replaceAll("${value:v}", v),
      tag: tags.size === 0 ? undefined : [...tags].sort().join(),
    };
  }
  return found;
}

function yaml(head: string, body: Document, above: readonly Document[]): string {
  const rows = Object.entries(body).map(([name, { description, address, tags }]) => {
    const isListed = above.some((other) => other[name as keyof Document]?.tags !== undefined);
    return [
      name,
      {
        ...(address === undefined ? {} : { "ip-netmask": address }),
        ...(description === undefined ? {} : { description }),
        ...(tags === undefined ? {} : { tag: isListed ? { $add: tags } : tags }),
      },
    ];
  });
  return `${head}\nscope: vsys1\nconfig: ${JSON.stringify({ address: Object.fromEntries(rows) })}\n`;
}

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

function lay(world: World): void {
  const [byDefault, ofGroup, ofTarget] = world.values;
  const rows = Object.entries(TARGETS).map(([name, site]) => {
    const values = name === "a" && ofTarget !== undefined ? `, values: { v: ${ofTarget} }` : "";
    return `  ${name}: { kind: memory, file: ${name}.xml, labels: { site: ${site} }${values} }`;
  });
  const group = `groups: { x: { labels: { site: x }${ofGroup === undefined ? "" : `, values: { v: ${ofGroup} }`} } }`;
  write(
    "plumbline.yaml",
    ["format: 1", "owner: o", "documents: [docs]", `values: { v: ${byDefault} }`, group, "targets:", ...rows, ""].join("\n"),
  );
  write("docs/all.yaml", yaml("targets: all", world.all, []));
  write("docs/x.yaml", yaml("targets: { labels: { site: x } }", world.x, [world.all]));
  write("docs/y.yaml", yaml("targets: [c, d]", world.y, [world.all]));
  write("docs/a.yaml", yaml("target: a", world.a, [world.all, world.x]));
  write("docs/d.yaml", yaml("target: d", world.d, [world.all, world.y]));
}

function addressesOf(root: DesiredNode): Record<string, unknown> {
  let node: DesiredNode | undefined = root;
  for (const tag of ["devices", "entry", "vsys", "entry", "address"]) node = node?.children.find((child) => child.tag === tag);
  return Object.fromEntries(
    (node?.children ?? []).map((entry) => {
      const leaf = (tag: string) => entry.children.find((child) => child.tag === tag);
      const tags = leaf("tag")
        ?.children.map(({ text }) => text)
        .sort()
        .join();
      return [entry.name, { "ip-netmask": leaf("ip-netmask")?.text, description: leaf("description")?.text, tag: tags }];
    }),
  );
}

describe("documents for several targets", () => {
  it("combine for each target according to the rules, for any overlap", async () => {
    const check = async (drawn: World) => {
      lay(drawn);
      const { targets } = await loadDesired(join(folder, "plumbline.yaml"), {
        environment: {},
        kinds,
        today: "2026-01-01",
        resolveSecrets: true,
      });
      for (const name of Object.keys(TARGETS) as (keyof typeof TARGETS)[])
        expect(addressesOf((targets.get(name) as { root: DesiredNode }).root), name).toEqual(expected(drawn, name));
    };
    await fc.assert(fc.asyncProperty(world, check), { numRuns: process.env.PLUMBLINE_SOAK === "1" ? 5000 : 60 });
  });
});
