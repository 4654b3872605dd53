import { readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";

const { readmeOf } = (await import(pathToFileURL("packaging/readme.mjs").href)) as {
  readmeOf: (readme: string, version: string, environment: Readonly<Record<string, string>>) => string;
};
const readme = readFileSync("README.md", "utf8");
const linksIn = (text: string): string[] =>
  [...text.matchAll(/\]\(([^)]*)\)|\b(?:src|srcset)="([^"]*)"/g)].map(([, link, source]) => link ?? source ?? "");

it('the commands of docs and errors install this package, not the npm package "plumbline"', () => {
  const files = ["README.md", ...readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : []))];
  const installed = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/\bnpm (?:install|i|exec)((?: -\S+)*) (\S*plumbline\S*)/g)].map(([, , what]) => what),
  );
  expect(installed.length).toBeGreaterThan(3);
  for (const what of installed) expect(what).toMatch(/^plumbline-network-/);
});

describe("the README of the package", () => {
  it("has the links of the repository's README", () => {
    expect(linksIn(readme).length).toBeGreaterThan(10);
  });

  it("has absolute links to the released version if the repository is known", () => {
    const environment = { GITHUB_SERVER_URL: "https://git.example.com", GITHUB_REPOSITORY: "net/plumbline" };
    const text = readmeOf(readme, "1.2.3", environment);
    const relative = linksIn(readme);
    expect(linksIn(text)).toHaveLength(relative.length);
    for (const [index, link] of linksIn(text).entries()) {
      const kind = /\.(?:svg|webp)$/.test(link) ? "raw" : "blob";
      expect(link).toBe(`https://git.example.com/net/plumbline/${kind}/v1.2.3/${relative[index]}`);
    }
  });

  it("has no links and pictures, but their texts, if the repository is not known", () => {
    const text = readmeOf(readme, "1.2.3", {});
    expect(linksIn(text)).toEqual([]);
    expect(text).not.toMatch(/<picture|<img/);
    expect(text).toContain("| First steps | Tutorial, Concepts, FAQ |");
  });

  it("keeps absolute links", () => {
    expect(readmeOf("[a](https://example.com) [b](mailto:a@example.com)", "1.2.3", {})).toContain("[a](https://example.com) [b](mailto:");
  });
});
