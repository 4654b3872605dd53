import { expect, it } from "vitest";
import { withAncestorFolders } from "../../src/core/ancestor-folders.js";

it("lists a folder and its parents once each, nearest first", () => {
  expect([...withAncestorFolders("/a/b")]).toEqual(["/a/b", "/a", "/"]);
  expect([...withAncestorFolders("/")]).toEqual(["/"]);
});
