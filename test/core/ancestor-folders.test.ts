import { expect, it } from "vitest";
import { withFoldersAbove } from "../../src/core/ancestor-folders.js";

it("lists a folder and its parents once each, nearest first", () => {
  expect([...withFoldersAbove("/a/b")]).toEqual(["/a/b", "/a", "/"]);
  expect([...withFoldersAbove("/")]).toEqual(["/"]);
});
