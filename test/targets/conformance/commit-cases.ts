import { expect } from "vitest";
import { find } from "../../../src/core/tree/lookup.js";
import { type Case, quiet, type Scene, there } from "./scene.js";

const absent = ({ writer }: Scene) => writer.commits === undefined && "what is written is active: there is no candidate";
const alone = (scene: Scene) => absent(scene) || (scene.bench.other === undefined && "there are no other administrators");
const needs = (what: "partialCommit" | "partialRevert" | "validate" | "changeList") => (scene: Scene) =>
  absent(scene) || (!scene.opened.capabilities[what] && `${what} is not offered`);
const both = (scene: Scene, view: "candidate" | "running") => Promise.all([scene.text("one", view), scene.text("theirs", view)]);

export const commitCases: readonly Case[] = [
  {
    name: "keeps what is written out of running until it is committed",
    absent,
    run: async (scene) => {
      await scene.make("one", "1");
      expect([await scene.text("one"), await scene.text("one", "running")]).toEqual(["1", undefined]);
      expect(await scene.commit()).toMatchObject({ outcome: "committed", job: expect.any(String) });
      expect(await scene.text("one", "running")).toBe("1");
      expect((await scene.commit()).outcome).toBe("nothing");
    },
  },
  {
    name: "finds the job of a commit by how its description starts",
    absent: needs("changeList"),
    run: async (scene) => {
      await scene.make("one", "1");
      const { job } = await scene.commit("plumbline run1 abc author");
      expect(await scene.commits.settleJobs("plumbline run1 ", quiet)).toMatchObject([{ job, ok: true, lines: expect.any(Array) }]);
      expect(await scene.commits.settleJobs("plumbline run2 ", quiet)).toEqual([]);
    },
  },
  {
    name: "validates without committing",
    absent: needs("validate"),
    run: async (scene) => {
      await scene.make("one", "1");
      expect((await scene.commits.validate(quiet)).outcome).toBe("committed");
      expect(await scene.text("one", "running")).toBeUndefined();
    },
  },
  {
    name: "lists what is pending, and whose it is",
    absent: (scene) => needs("changeList")(scene) || alone(scene),
    run: async (scene) => {
      const pending = () => there(scene.target.pendingAndLocks).pending();
      expect(await pending()).toEqual([]);
      const other = there(scene.bench.other);
      await scene.make("one", "1");
      await other.write(scene.bench.entry(scene.bench.named("theirs"), "9"));
      expect((await pending()).map(({ owner }) => owner).sort()).toEqual([await scene.target.administrator(), other.name].sort());
    },
  },
  {
    name: "commits what is ours, and leaves another's work pending",
    absent: (scene) => needs("partialCommit")(scene) || alone(scene),
    run: async (scene) => {
      await scene.make("one", "1");
      await there(scene.bench.other).write(scene.bench.entry(scene.bench.named("theirs"), "9"));
      await scene.commit();
      expect(await both(scene, "running")).toEqual(["1", undefined]);
      expect(await both(scene, "candidate")).toEqual(["1", "9"]);
    },
  },
  {
    name: "reverts what is ours, and leaves another's work",
    absent: (scene) => needs("partialRevert")(scene) || alone(scene),
    run: async (scene) => {
      await scene.make("one", "1");
      await there(scene.bench.other).write(scene.bench.entry(scene.bench.named("theirs"), "9"));
      await scene.commits.revert();
      expect(await both(scene, "candidate")).toEqual([undefined, "9"]);
    },
  },
  {
    name: "keeps a configuration under a name",
    absent: ({ writer }) => writer.snapshots === undefined && "none are saved",
    run: async (scene) => {
      const { save, load, remove } = there(scene.writer.snapshots);
      expect(await load("before")).toBeUndefined();
      expect(await save("before")).toBe(true);
      await scene.make("one", "1");
      await scene.commit();
      const saved = there(await load("before"));
      expect([saved.tag, find(saved, scene.path("one"))]).toEqual([scene.bench.list.steps()[0]?.tag, undefined]);
      expect([await remove("before"), await load("before"), await remove("before")]).toEqual([true, undefined, true]);
    },
  },
];
