import { expect } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { find } from "../../../src/core/tree/lookup.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { always, type Case, quiet, type Scene, there } from "./scene.js";

export const writeCases: readonly Case[] = [
  {
    name: "reads back what was written, on this connection and on another",
    absent: always,
    run: async (scene) => {
      await scene.make("one", "1");
      expect(await scene.text("one")).toBe("1");
      const other = scene.bench.connect();
      await other.open();
      expect(find(await other.read([scene.bench.list], "candidate"), scene.path("one"))).toBeDefined();
      await other.close();
    },
  },
  {
    name: "makes nothing of an empty batch",
    absent: always,
    run: async (scene) => {
      const before = await scene.names();
      await scene.writer.write([]);
      expect(await scene.names()).toEqual(before);
    },
  },
  {
    name: "does all of a batch or nothing",
    absent: ({ opened }) => !opened.capabilities.atomicBatch && "atomicBatch is not offered",
    run: async (scene) => {
      await expect(scene.writer.write([scene.making("one", "1"), scene.bench.refused])).rejects.toBeInstanceOf(PlumblineError);
      expect(await scene.text("one")).toBeUndefined();
    },
  },
  {
    name: "stops at what is refused, and lets stand what came before",
    absent: ({ opened }) => opened.capabilities.atomicBatch && "a batch is one transaction",
    run: async (scene) => {
      const batch = [scene.making("one", "1"), scene.bench.refused, scene.making("two", "2")];
      await expect(scene.writer.write(batch)).rejects.toBeInstanceOf(PlumblineError);
      expect([await scene.text("one"), await scene.text("two")]).toEqual(["1", undefined]);
    },
  },
  {
    name: "set adds to an entry, and keeps what it has",
    absent: always,
    run: async (scene) => {
      await scene.make("one", "1");
      await scene.writer.write([{ action: "set", at: scene.path("one"), element: scene.bench.more }]);
      expect([await scene.text("one"), await moreOf(scene)]).toEqual(["1", scene.bench.more.text]);
    },
  },
  {
    name: "edit replaces an entry: what it does not have goes",
    absent: always,
    run: async (scene) => {
      await scene.make("one", "1");
      await scene.writer.write([{ action: "set", at: scene.path("one"), element: scene.bench.more }]);
      await scene.writer.write([{ action: "edit", at: scene.path("one"), element: scene.making("one", "2").element }]);
      expect(await scene.text("one")).toBe("2");
      expect(await moreOf(scene)).not.toBe(scene.bench.more.text);
    },
  },
  {
    name: "edit replaces one leaf",
    absent: always,
    run: async (scene) => {
      await scene.make("one", "1");
      const { leaf, more } = scene.bench;
      await scene.writer.write([{ action: "set", at: scene.path("one"), element: more }]);
      const element = new TreeNode(leaf, undefined, "3");
      await scene.writer.write([{ action: "edit", at: scene.path("one").child(leaf), element }]);
      expect([await scene.text("one"), await moreOf(scene)]).toEqual(["3", more.text]);
    },
  },
  {
    name: "delete takes one entry away, and no other",
    absent: always,
    run: async (scene) => {
      await scene.make("one", "1");
      await scene.make("two", "2");
      await scene.writer.write([{ action: "delete", at: scene.path("one") }]);
      expect([await scene.text("one"), await scene.text("two")]).toEqual([undefined, "2"]);
    },
  },
  {
    name: "move changes the order, and nothing else",
    absent: ({ opened }) => !opened.capabilities.move && "move is not offered",
    run: async (scene) => {
      const list = there(scene.bench.ordered)();
      const before = await scene.names(list);
      const [first, second] = before.map(there);
      await scene.writer.write([{ action: "move", at: list.entry(there(second)), where: "top" }]);
      expect(await scene.names(list)).toEqual([second, first]);
      await scene.writer.write([{ action: "move", at: list.entry(there(second)), where: "after", anchor: there(first) }]);
      expect(await scene.names(list)).toEqual(before);
    },
  },
  {
    name: "rename keeps what an entry holds",
    absent: ({ opened }) => !opened.capabilities.rename && "rename is not offered",
    run: async (scene) => {
      await scene.make("one", "1");
      await scene.writer.write([{ action: "rename", at: scene.path("one"), newName: scene.bench.named("two") }]);
      expect([await scene.text("one"), await scene.text("two")]).toEqual([undefined, "1"]);
    },
  },
  {
    name: "waits until what was written is made",
    absent: ({ writer }) => writer.builds === undefined && "what is written is made when the reply comes",
    run: async (scene) => {
      await scene.make("one", "1");
      expect(await there(scene.writer.builds).settle(quiet)).toEqual([]);
      expect(await scene.text("one")).toBe("1");
    },
  },
];

async function moreOf(scene: Scene): Promise<string | undefined> {
  return (await scene.read(scene.path("one")))?.children.find(({ tag }) => tag === scene.bench.more.tag)?.text;
}
