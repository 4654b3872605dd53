import { describe, expect, it } from "vitest";
import type { Path } from "../../src/core/tree/path.js";
import type { Shape } from "../../src/core/tree/shape.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { Catalog, type Definition, distance, type Scope, Scopes } from "../../src/plan/namespace.js";
import { panosShape } from "../../src/targets/panos/shape.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const group = (name: string): string => `${DEVICE}/device-group/entry[@name='${name}']`;

/** The scope of names at a path, walked down from the root. */
function scopeAt(scopes: Scopes, xpath: string): Scope {
  let scope = scopes.root;
  let shape: Shape = panosShape();
  for (const step of parsePath(xpath).steps().slice(1)) {
    shape = shape.child(step.tag);
    scope = scopes.below(step, shape, scope);
  }
  return scope;
}

function address(scopes: Scopes, place: string, name: string): Definition {
  const path: Path = parsePath(`${place}/address/entry[@name='${name}']`);
  return { path, kind: "address", namespace: "address", scope: scopeAt(scopes, place), name };
}

describe("scopes of a manager", () => {
  const parents = new Map([
    [group("branch"), group("offices")],
    [group("offices"), group("all")],
  ]);

  it("see the groups above them, the nearest first, then shared, and no others", () => {
    const scopes = new Scopes(parents);
    const branch = scopeAt(scopes, group("branch"));
    const steps = ["branch", "offices", "all"].map((name) => distance(branch, scopeAt(scopes, group(name))));
    expect(steps).toEqual([0, 1, 2]);
    expect(distance(branch, scopeAt(scopes, "/config/shared"))).toBeGreaterThan(2);
    expect(distance(branch, scopeAt(scopes, group("plants")))).toBeUndefined();
    expect(distance(scopeAt(scopes, group("all")), branch)).toBeUndefined();
  });

  it("resolve a name to the object of the nearest group", () => {
    const scopes = new Scopes(parents);
    const catalog = new Catalog();
    const [far, near] = [address(scopes, "/config/shared", "web"), address(scopes, group("all"), "web")];
    const meant = () =>
      catalog.resolve({
        path: parsePath(`${group("branch")}/address-group/entry[@name='g']/static/member[text()='web']`),
        value: "web",
        kinds: ["address"],
        scope: scopeAt(scopes, group("branch")),
        holder: undefined,
      });
    catalog.add(far);
    expect(meant()).toBe(far);
    catalog.add(near);
    expect(meant()).toBe(near);
  });

  it("are siblings if groups form a cycle", () => {
    const scopes = new Scopes(
      new Map([
        [group("a"), group("b")],
        [group("b"), group("a")],
      ]),
    );
    expect(distance(scopeAt(scopes, group("a")), scopeAt(scopes, "/config/shared"))).toBeGreaterThan(0);
  });
});

describe("a virtual system", () => {
  const vsys = `${DEVICE}/vsys/entry[@name='vsys1']`;

  it("shows its names to the network of its device, and not to a manager's groups or another virtual system", () => {
    const scopes = new Scopes();
    const system = scopeAt(scopes, vsys);
    expect(distance(scopeAt(scopes, `${DEVICE}/network/virtual-router`), system)).toBeLessThan(1);
    expect(distance(scopeAt(scopes, group("branch")), system)).toBeUndefined();
    expect(distance(scopeAt(scopes, `${DEVICE}/vsys/entry[@name='vsys2']`), system)).toBeUndefined();
    expect(distance(scopeAt(scopes, "/config/shared"), system)).toBeUndefined();
  });
});
