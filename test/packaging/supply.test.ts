import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";

const workflows = readdirSync(".github/workflows").map((name) => `.github/workflows/${name}`);

/** Every `uses:` of a workflow or an action, however deep. */
function usesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === "uses" && typeof inner === "string" ? [inner] : usesOf(inner)));
}

/** The tag of a third-party action can be moved to other code, which then runs with our tokens. */
const unpinned = (text: string): string[] => usesOf(parse(text)).filter((uses) => !/^(\.\/.*|[^@]+@[0-9a-f]{40})$/.test(uses));

it.each(["action.yml", ...workflows])("%s refers to actions by commit", (file) => {
  const text = readFileSync(file, "utf8");
  expect(usesOf(parse(text)).length).toBeGreaterThan(0);
  expect(unpinned(text)).toEqual([]);
});

it("detects an action referred to by a tag", () => {
  expect(unpinned("jobs: { a: { steps: [{ uses: actions/checkout@v4 }, { uses: ./local }] } }")).toEqual(["actions/checkout@v4"]);
});

it.each(workflows)("%s grants its jobs only named permissions", (file) => {
  expect(parse(readFileSync(file, "utf8")).permissions).toEqual({ contents: "read" });
});

it("the release names its commit", () => {
  const release = readFileSync(".github/workflows/release.yml", "utf8");
  expect(usesOf(parse(release)).some((uses) => uses.startsWith("actions/attest-build-provenance@"))).toBe(true);
});

type Bill = (
  manifest: unknown,
  lock: unknown,
  included: ReadonlySet<string>,
) => { bomFormat: string; components: { name: string; version: string; hashes: unknown; purl: string }[] };

it("the bill of materials lists the given packages with version and checksum, and refuses a package without a lock entry", async () => {
  const { billOfMaterials } = (await import(pathToFileURL("packaging/sbom.mjs").href)) as { billOfMaterials: Bill };
  const [manifest, lock] = ["package.json", "package-lock.json"].map((file) => JSON.parse(readFileSync(file, "utf8")));
  const places = Object.keys(manifest.dependencies).map((name) => `node_modules/${name}`);
  const list = billOfMaterials(manifest, lock, new Set(["", ...places]));
  expect(list.components.map(({ name }) => name).sort()).toEqual(Object.keys(manifest.dependencies).sort());
  for (const { name, version, hashes, purl } of list.components) {
    expect(version, name).toBe(lock.packages[`node_modules/${name}`].version);
    expect({ purl, hashes }).toMatchObject({ hashes: [{ alg: "SHA-512" }] });
  }
  expect(list.bomFormat).toBe("CycloneDX");
  expect(() => billOfMaterials(manifest, lock, new Set(["node_modules/ghost"]))).toThrow("node_modules/ghost");
});

it("has the licence that it names", () => {
  const { license } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(license).toBe("Apache-2.0");
  expect(readFileSync("LICENSE", "utf8")).toMatch(/Apache License\s+Version 2\.0, January 2004/);
});
