import { existsSync, readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { parse } from "yaml";

const workflows = readdirSync(".github/workflows").map((name) => `.github/workflows/${name}`);

/** Every `uses:` of a workflow or an action, however deep. */
function usesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === "uses" && typeof inner === "string" ? [inner] : usesOf(inner)));
}

/** A tag of somebody else's action can be moved to other code, and that code runs beside our tokens. */
const unpinned = (text: string): string[] => usesOf(parse(text)).filter((uses) => !/^(\.\/.*|[^@]+@[0-9a-f]{40})$/.test(uses));

it.each(["action.yml", ...workflows])("%s names actions by their commits", (file) => {
  const text = readFileSync(file, "utf8");
  expect(usesOf(parse(text)).length).toBeGreaterThan(0);
  expect(unpinned(text)).toEqual([]);
});

it("catches an action that is named by a tag", () => {
  expect(unpinned("jobs: { a: { steps: [{ uses: actions/checkout@v4 }, { uses: ./local }] } }")).toEqual(["actions/checkout@v4"]);
});

it.each(workflows)("%s gives its jobs no right that they do not name", (file) => {
  expect(parse(readFileSync(file, "utf8")).permissions).toEqual({ contents: "read" });
});

it("the release says which commit made it", () => {
  const release = readFileSync(".github/workflows/release.yml", "utf8");
  expect(usesOf(parse(release)).some((uses) => uses.startsWith("actions/attest-build-provenance@"))).toBe(true);
});

it("the list of a release's parts has every package that the program loads, and none that only builds it", async () => {
  const { billOfMaterials } = (await import(pathToFileURL("packaging/sbom.mjs").href)) as {
    billOfMaterials: (
      manifest: unknown,
      lock: unknown,
    ) => { bomFormat: string; components: { name: string; version: string; hashes: unknown; purl: string }[] };
  };
  const [manifest, lock] = ["package.json", "package-lock.json"].map((file) => JSON.parse(readFileSync(file, "utf8")));
  const list = billOfMaterials(manifest, lock);
  const listed = list.components.map(({ name, version }) => `${name}@${version}`);
  expect(Object.keys(manifest.dependencies).filter((name) => !listed.some((each) => each.startsWith(`${name}@`)))).toEqual([]);
  for (const { hashes, purl } of list.components) expect({ purl, hashes }).toMatchObject({ hashes: [{ alg: "SHA-512" }] });
  expect(list.bomFormat).toBe("CycloneDX");
  expect(installedBy(manifest.dependencies).filter((each) => !listed.includes(each))).toEqual([]);
  expect(listed.filter((each) => each.startsWith("vitest@") || each.startsWith("typescript@"))).toEqual([]);
});

/** What Node would load, followed from package to package in node_modules. */
function installedBy(dependencies: Readonly<Record<string, string>>, from = ".", found = new Map<string, string>()): string[] {
  for (const name of Object.keys(dependencies)) {
    const places = from.split("/node_modules/").map((_, depth, parts) => parts.slice(0, parts.length - depth).join("/node_modules/"));
    const place = places.map((each) => `${each}/node_modules/${name}`).find((each) => existsSync(`${each}/package.json`));
    if (place === undefined || found.has(place)) continue;
    const read = JSON.parse(readFileSync(`${place}/package.json`, "utf8"));
    found.set(place, `${name}@${read.version}`);
    installedBy(read.dependencies ?? {}, place, found);
  }
  return [...found.values()];
}

it("has the licence that it names", () => {
  const { license } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(license).toBe("Apache-2.0");
  expect(readFileSync("LICENSE", "utf8")).toMatch(/Apache License\s+Version 2\.0, January 2004/);
});
