import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { arrowsOf, drawingOf } from "./drawing.js";
import { importsOf } from "./imports.js";
import { rooms } from "./rooms.js";

const PAGE = "docs/contributing/architecture.md";
const page = readFileSync(PAGE, "utf8");
const between = (from: string, to: string) => ({ from, to, words: "import { a } from" });

describe("the diagram of the rooms", () => {
  it("has an arrow for each import, and none for a transitive one", () => {
    const imports = [between("b/x.ts", "a/x.ts"), between("c/x.ts", "b/x.ts"), between("c/y.ts", "a/x.ts"), between("a/x.ts", "a/y.ts")];
    expect(drawingOf(arrowsOf(imports), ["a", "b", "c"])).toBe("```mermaid\nflowchart TD\n  c --> b\n  b --> a\n```");
  });

  it("equals the imports (npm run architecture updates it)", async () => {
    const drawing = drawingOf(arrowsOf(importsOf("src")), [...rooms().keys()]);
    const renewed = page.replace(/```mermaid\n.*?\n```/s, () => drawing);
    await expect(renewed).toMatchFileSnapshot(`../../${PAGE}`);
  });
});

describe("the page", () => {
  it("has a row for each room, in build order", () => {
    const [, section = ""] = /^## Rooms$(.*?)^## /ms.exec(page) ?? [];
    const rows = [...section.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, room]) => room);
    expect(rows).toEqual([...rooms().keys()]);
  });

  it("is one page, with the design decisions", () => {
    expect(page.split("\n").length).toBeLessThan(130);
  });
});
