import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { GUARDS } from "../../src/guards/registry.js";

const registered = Object.values(GUARDS)
  .flat()
  .flatMap(({ names }) => names);

/** Refusals of the planner itself: no operations exist for these parts. */
const OF_THE_PLANNER = ["request-size"];
/** Checks of a run that `--allow` overrides and that are no guards. */
const NO_GUARDS = ["master-key", "not-converging", "object-hidden"];

const page = readFileSync("docs/guards.md", "utf8");
const [, table = ""] = /^## Guards$(.*?)^A run also stops/ms.exec(page) ?? [];
const documented = [...table.matchAll(/^\| ((?:`[a-z-]+`(?:, )?)+) \|/gm)].flatMap(([, names = ""]) =>
  [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = ""]) => name),
);

describe("the list of guards", () => {
  it("has the guards that docs/guards.md describes, and no other", () => {
    expect([...new Set([...registered, ...OF_THE_PLANNER])].sort()).toEqual(documented.toSorted());
  });

  it("has each guard of the room", () => {
    const registry = readFileSync("src/guards/registry.ts", "utf8");
    const used = [...registry.matchAll(/refuse: (refuse\w+) /g)].map(([, name]) => name);
    const written = readdirSync("src/guards").flatMap((file) =>
      [...readFileSync(`src/guards/${file}`, "utf8").matchAll(/^export function (refuse\w+)/gm)].map(([, name]) => name),
    );
    expect(used.toSorted()).toEqual(written.toSorted());
  });

  it("has a guard for each name of --allow, except for checks of a run", () => {
    const forms = /const ALLOW_FORMS = \{(.*?)\} as const/s.exec(readFileSync("src/guards/allow.ts", "utf8"))?.[1] ?? "";
    const names = [...forms.matchAll(/^ {2}"?([a-z-]+)"?:/gm)].map(([, name = ""]) => name);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !registered.includes(name)).sort()).toEqual(NO_GUARDS);
  });
});
