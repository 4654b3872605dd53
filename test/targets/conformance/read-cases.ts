import { expect } from "vitest";
import { find } from "../../../src/core/tree/lookup.js";
import { always, type Case, there } from "./scene.js";

export const readCases: readonly Case[] = [
  {
    name: "says who it is, the same each time and on each connection",
    absent: always,
    run: async ({ target, bench, opened }) => {
      const other = bench.connect();
      // Pending changes are only returned with the first of them.
      const said = [await target.open(), await other.open()].map((each) => ({ ...each, pending: opened.pending }));
      expect(said).toEqual([opened, opened]);
      expect([other.name, other.kind, other.shape]).toEqual([target.name, target.kind, target.shape]);
      await other.close();
    },
  },
  {
    name: "has the roles that its capabilities promise",
    absent: always,
    run: async ({ target, writer, opened: { capabilities } }) => {
      const { candidate, locks, changeList, partialCommit, partialRevert, validate } = capabilities;
      expect(writer.commits !== undefined).toBe(candidate);
      if (locks) expect(writer.locks).toBeDefined();
      if (locks || changeList) expect(target.pendingAndLocks).toBeDefined();
      if (partialCommit || partialRevert || validate) expect(candidate).toBe(true);
    },
  },
  {
    name: "says facts of itself, and under whose name it writes",
    absent: always,
    run: async ({ target }) => {
      expect((await target.status()).size).toBeGreaterThan(0);
      expect(await target.administrator()).not.toBe("");
    },
  },
  {
    name: "leaves a subtree that is not there out, and reads the others",
    absent: always,
    run: async (scene) => {
      await scene.make("one", "1");
      const tree = await scene.target.read([scene.path("nobody"), scene.path("one")], "candidate");
      expect(find(tree, scene.path("nobody"))).toBeUndefined();
      expect(find(tree, scene.path("one"))).toBeDefined();
    },
  },
  {
    name: "gives a list without entries none",
    absent: always,
    run: async (scene) => {
      for (const view of ["candidate", "running"] as const) {
        const tree = await scene.target.read([scene.bench.empty], view);
        expect(tree.tag).toBe(scene.bench.empty.steps()[0]?.tag);
        expect(find(tree, scene.bench.empty)?.children ?? []).toEqual([]);
      }
    },
  },
  {
    name: "gives a copy: what a reader does to it changes nothing",
    absent: always,
    run: async (scene) => {
      await scene.make("one", "1");
      const entry = there(await scene.read(scene.path("one")));
      entry.children = [];
      expect(await scene.text("one")).toBe("1");
    },
  },
  {
    name: "names who changed an entry, or nobody",
    absent: always,
    run: async (scene) => {
      await scene.make("one", "1");
      if (scene.writer.commits !== undefined) await scene.commit();
      const path = scene.path("one");
      const { target } = scene;
      const tree = await target.read([scene.bench.list], "candidate");
      const found = await target.attribution(path, find(tree, path));
      expect([await target.administrator(), "unknown"]).toContain(found?.admin ?? "unknown");
    },
  },
  {
    name: "has a digest that stays while nothing moves, and moves with what is written",
    absent: ({ target }) => target.digests === undefined && "nothing can be looked at without parsing it",
    run: async (scene) => {
      const { digests } = scene.target;
      const digest = () => there(digests).digest([scene.bench.list]);
      const first = await digest();
      expect(first).toBeDefined();
      expect(await digest()).toBe(first);
      await scene.make("one", "1");
      expect(await digest()).not.toBe(first);
    },
  },
  {
    name: "calls nothing hidden that is only gone",
    absent: ({ target }) => target.hiding === undefined && "lists show all or fail",
    run: async (scene) => {
      await scene.target.read([scene.bench.list], "candidate");
      expect(await there(scene.target.hiding).hidden([scene.path("nobody")])).toEqual([]);
    },
  },
  {
    name: "knows no checksum of an image that is not there",
    absent: ({ target }) => target.images === undefined && "there is no image service",
    run: async ({ target }) => expect(await there(target.images).checksum("no such image")).toBeUndefined(),
  },
  {
    name: "tells its own time, and records of a log in it",
    absent: ({ target }) => target.logs === undefined && "no logs are kept",
    run: async ({ target }) => {
      const logs = there(target.logs);
      const until = there(await logs.deviceTime());
      expect(until).toMatch(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/);
      const found = await logs.records({ type: "system", query: undefined, since: "2000/01/01 00:00:00", until, most: 3 });
      expect(found.length).toBeLessThanOrEqual(3);
    },
  },
  {
    name: "may be closed twice",
    absent: always,
    run: async ({ target }) => {
      await target.close();
      await target.close();
    },
  },
];
