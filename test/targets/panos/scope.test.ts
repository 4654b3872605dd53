import { describe, expect, it } from "vitest";
import { Path } from "../../../src/core/tree/path.js";
import { scopePath, scopeWord } from "../../../src/targets/panos/scope.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";

describe("scopePath", () => {
  it.each([
    ["shared", "/config/shared"],
    ["device", DEVICE],
    ["vsys1", `${DEVICE}/vsys/entry[@name='vsys1']`],
    ["template/Branch T", `${DEVICE}/template/entry[@name='Branch T']`],
    ["template-stack/S", `${DEVICE}/template-stack/entry[@name='S']`],
    ["device-group/a/b", `${DEVICE}/device-group/entry[@name='a/b']`],
  ])("%s is %s, and back", (word, path) => {
    const found = scopePath(word);
    expect(found?.toString()).toBe(path);
    expect(found === undefined ? undefined : scopeWord(found)).toBe(word);
  });

  it.each(["", "vsys", "vsys0", "Vsys1", "template/", "template", "group/x", "/config"])("%j is invalid", (word) => {
    expect(scopePath(word)).toBeUndefined();
  });
});

describe("scopeWord", () => {
  it("is undefined if only at: can name the place", () => {
    const device = Path.root.child("config").child("devices").entry("localhost.localdomain");
    expect(scopeWord(device.child("vsys").entry("web"))).toBeUndefined();
    expect(scopeWord(Path.root.child("config").child("devices").entry("other"))).toBeUndefined();
    expect(scopeWord(device.child("network"))).toBeUndefined();
    expect(scopeWord(Path.root)).toBeUndefined();
  });
});
