import { describe, expect, it } from "vitest";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import type { GuardContext } from "../../src/guards/context.js";
import { refuseBrokenReferences } from "../../src/guards/references.js";
import { changeOf, contextOf } from "./support.js";

const rule = parsePath("/config/shared/rules/entry[@name='r']/source");
const object = (name: string, kind: string, path = `/config/shared/${kind}/entry[@name='${name}']`) => ({
  kind,
  name,
  path: parsePath(path),
});
const refusals = (context: Partial<GuardContext>) => refuseBrokenReferences(contextOf(context));

describe("a dangling reference", () => {
  const dangling = [{ reference: { path: rule }, removed: object("a", "address") }] as unknown as GuardContext["dangling"];

  it("is reported with the fate of the object", () => {
    const [deleted] = refusals({ dangling, changes: [changeOf("extra", "/config/shared/address/entry[@name='a']")] });
    expect(deleted).toMatchObject({ guard: "referrers", path: rule, allow: undefined });
    expect(deleted?.message).toBe(`address "a" would be deleted, but is still used at a path that this plan does not write: ${rule}`);
    const changes = [
      changeOf("differs", "/config"),
      changeOf("renamed", "/config/shared/address/entry[@name='b']", { from: "a", to: "b" }),
    ];
    expect(refusals({ dangling, changes })[0]?.message).toContain('address "a" would be renamed to "b", but');
  });
});

it("a list that would mean any is refused", () => {
  expect(refusals({ emptied: [rule] })).toEqual([
    expect.objectContaining({ guard: "match-list", path: rule, allow: undefined, message: expect.stringContaining("which means any") }),
  ]);
});

describe("a plan without a safe order", () => {
  const paths = Array.from({ length: 7 }, (_, i) => parsePath(`/config/shared/p${i}`));
  const handed = (name: string) => ({ name, from: object(name, "address"), to: object(name, "group") });
  const knots = (...names: string[]) => [{ paths, names: names.map(handed) }] as unknown as GuardContext["knots"];

  it("is reported with the first places if no name moves", () => {
    expect(refusals({ knots: knots() })).toEqual([
      {
        guard: "order",
        message: `No order of these changes keeps every reference valid; make them in several commits: ${paths.slice(0, 5).join(", ")}`,
        path: paths[0],
        allow: undefined,
      },
    ]);
  });

  it("is reported with three names that move and the number of others", () => {
    const told = (name: string): string => `"${name}" from address /config/shared/address to group /config/shared/group`;
    const [three] = refusals({ knots: knots("a", "b", "c") });
    expect(three).toMatchObject({ guard: "order", path: handed("a").to.path, allow: undefined });
    expect(three?.message).toContain(`while they are in use: ${told("a")}; ${told("b")}; ${told("c")}. Use two commits`);
    expect(refusals({ knots: knots("a", "b", "c", "d", "e") })[0]?.message).toContain(`${told("c")}, and 2 more. Use two commits`);
  });
});
