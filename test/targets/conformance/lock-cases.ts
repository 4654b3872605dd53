import { expect } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { type Case, type Scene, there } from "./scene.js";

const COMMENT = "plumbline/1 conformance run1 abc";
const absent = ({ opened, writer }: Scene) => (!opened.capabilities.locks || writer.locks === undefined) && "there are no locks";
const locks = (scene: Scene) => there(scene.target.pendingAndLocks).locks();

export const lockCases: readonly Case[] = [
  {
    name: "holds a lock under our name and comment until it gives it back",
    absent,
    run: async (scene) => {
      const { lock, unlock } = there(scene.writer.locks);
      expect(await locks(scene)).toEqual([]);
      await lock(COMMENT, [scene.bench.list]);
      expect(await locks(scene)).toMatchObject([{ kind: "config", owner: await scene.target.administrator(), comment: COMMENT }]);
      await scene.make("one", "1");
      await unlock();
      await unlock();
      expect([await locks(scene), await scene.text("one")]).toEqual([[], "1"]);
    },
  },
  {
    name: "does not get a lock that another administrator holds",
    absent: (scene) => absent(scene) || (scene.bench.other === undefined && "there are no other administrators"),
    run: async (scene) => {
      const other = there(scene.bench.other);
      await other.lock();
      await expect(there(scene.writer.locks).lock(COMMENT, [scene.bench.list])).rejects.toBeInstanceOf(PlumblineError);
      expect(await locks(scene)).toMatchObject([{ owner: other.name }]);
    },
  },
  {
    name: "breaks a lock of a run of ours that is over",
    absent,
    run: async (scene) => {
      const { lock, breakLock } = there(scene.writer.locks);
      await lock(COMMENT, [scene.bench.list]);
      for (const held of await locks(scene)) await breakLock(held);
      expect(await locks(scene)).toEqual([]);
    },
  },
];
