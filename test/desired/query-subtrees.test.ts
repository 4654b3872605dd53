import { describe, expect, it } from "vitest";
import { searchRoots } from "../../src/desired/query-subtrees.js";
import { panosShape } from "../../src/targets/panos/shape.js";

const paths = (all: ReturnType<typeof searchRoots>) => all.map(String);

describe("subtrees searched for references", () => {
  it("are everything that the shape knows below the root, and never the complete root", () => {
    expect(paths(searchRoots(panosShape(), "config"))).toEqual(expect.arrayContaining(["/config/devices", "/config/shared"]));
    expect(paths(searchRoots(panosShape(), "config"))).not.toContain("/config");
  });

  it("exclude parts that only the platform writes, which are the largest", () => {
    const roots = paths(searchRoots(panosShape(), "config"));
    expect(roots).not.toContain("/config/predefined");
    expect(roots).not.toContain("/config/readonly");
    expect(roots).toContain("/config/mgt-config");
  });
});
