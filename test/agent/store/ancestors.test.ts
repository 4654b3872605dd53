import { expect, it } from "vitest";
import { withAncestors } from "../../../src/agent/store/ancestors.js";
import { Path } from "../../../src/core/tree/path.js";

it("splits at steps and predicates, and not inside names", () => {
  const path = Path.root.child("config").entry("a/b[c]'d").child("members").member('say "x/y"');
  expect(withAncestors(path.toString())).toEqual([
    "/config",
    "/config/entry",
    `/config/entry[@name="a/b[c]'d"]`,
    `/config/entry[@name="a/b[c]'d"]/members`,
    `/config/entry[@name="a/b[c]'d"]/members/member`,
    `/config/entry[@name="a/b[c]'d"]/members/member[text()='say "x/y"']`,
  ]);
});

it("contains every parent of a path", () => {
  const path = Path.root.child("config").entry(`it's "both"/[`).child("leaf");
  const all = withAncestors(path.toString());
  for (let at: Path | undefined = path; at?.parent !== undefined; at = at.parent) expect(all).toContain(at.toString());
});
