import { describe, expect, it } from "vitest";
import { brokenCitations } from "./citations/citations.js";
import { repositoryAt, repositoryOf } from "./citations/repository.js";

const repository = repositoryAt(".");
const HOLDERS = /\.(?:tsx?|css|mjs|py|sh|ya?ml|md)$|\.shape\.json$/;
/** Statements about an older state of the repository. */
const HISTORY = "CHANGELOG.md";
/** Examples of broken citations. */
const SAMPLES = /^test\/citations/;
const holders = [...repository.files].filter((path) => HOLDERS.test(path) && !SAMPLES.test(path) && path !== HISTORY).sort();

describe("citations", () => {
  it("are checked in many files", () => {
    expect(holders.length).toBeGreaterThan(1000);
  });

  it("name existing files and headings", () => {
    expect(holders.flatMap((path) => brokenCitations(path, repository.text(path), repository))).toEqual([]);
  });
});

describe("a broken citation", () => {
  const pages: Record<string, string> = {
    "README.md": "# Top\n",
    "docs/plan.md": "# The plan\n\n## Cost\n\n## Two words, `code`\n\n```\n## No heading\n```\n\n## Cost\n",
    "docs/contributing/decisions.md": "# Decisions\n\n## 3. Order\n",
    "src/plan/order.ts": "",
  };
  const small = repositoryOf(Object.keys(pages), (path) => pages[path] ?? "");
  const broken = (path: string, text: string) => brokenCitations(path, text, small);

  it.each([
    ["a former document", "src/plan/order.ts", "/** As PLAN-AND-APPLY.md has it. */"],
    ["its section", "src/plan/order.ts", "/** As FORMAT 4 has it. */"],
    ["numbered facts", "src/plan/order.ts", " * at most 5 MB (facts 2.1)"],
    ["a folder beside the checkout", "docs/plan.md", "as `shared/spec/firewall.md` says"],
    ["a page that is not there", "src/plan/order.ts", "// docs/plans.md"],
    ["a heading that is not there", "src/plan/order.ts", "/** docs/plan.md#price */"],
    ["a heading in a block of code", "src/plan/order.ts", "/** docs/plan.md#no-heading */"],
    ["a comment behind code", "src/plan/order.ts", "const a = 1; // see docs/plans.md"],
    ["a source that has moved", "docs/plan.md", "`src/diff/order.ts` says so"],
    ["a file by its name", "src/plan/order.ts", "/** Left to `sequence.ts`. */"],
    ["a folder that has moved", "docs/plan.md", "all of `src/diff/` knows no vendor"],
    ["a link", "docs/plan.md", "[the order](order.md)"],
    ["the anchor of a link", "README.md", "[cost](docs/plan.md#costs)"],
    ["the anchor of a link within a page", "docs/plan.md", "[cost](#costs)"],
    ["a decision", "src/plan/order.ts", "/** ADR 4 */"],
    ["a text of the program", "src/plan/order.ts", 'next: "See docs/plans.md.",'],
    ["a script's comment", "bench/run.py", "# docs/plans.md"],
  ])("is found: %s", (_, path, text) => {
    expect(broken(path, `\n${text}\n`)).toContainEqual(expect.stringMatching(`^${path}:2: `));
  });

  it.each([
    ["src/plan/order.ts", "/** docs/plan.md#cost, docs/plan.md#two-words-code, docs/plan.md#cost-1 and ADR 3 */"],
    ["src/plan/order.ts", "/** `plan/order.ts`, order.ts, src/plan */"],
    ["test/plan/order.test.ts", 'const page = "docs/plans.md";'],
    ["src/plan/order.ts", "const page = `docs/${name}.md`;"],
    ["src/plan/order.ts", "// https://example.com/docs/plans.md"],
    ["docs/plan.md", "[top](../README.md#top), [here](#cost), [decision 3](contributing/decisions.md#3-order), `src/<room>/x.ts`"],
    ["docs/plan.md", "```\n[an example](nowhere.md)\n```"],
  ])("is not found in %s: %s", (path, text) => {
    expect(broken(path, text)).toEqual([]);
  });
});
