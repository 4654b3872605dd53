import { expect, it } from "vitest";
import { withFoldersAbove } from "../../src/core/folders-above.js";

it("a folder and those above it are named once each, the nearest first", () => {
  expect([...withFoldersAbove("/a/b")]).toEqual(["/a/b", "/a", "/"]);
  expect([...withFoldersAbove("/")]).toEqual(["/"]);
});
