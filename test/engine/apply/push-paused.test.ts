import { join } from "node:path";
import { expect, it } from "vitest";
import { BundleStore } from "../../../src/engine/ledger/bundle-store.js";
import { fileDocument } from "../../../src/engine/ledger/document.js";
import { NoticeBoard } from "../../../src/engine/notices.js";
import { ManagedWorld } from "./managed-world.js";

it("no push is sent after a pause that starts right before it", async () => {
  const world = await ManagedWorld.start("{ timeout: 5, validate: false }");
  const board = new NoticeBoard(new BundleStore(fileDocument(join(world.folder, "ledger.json"))), "us");
  const pause = () => board.pause({ target: "manager", reason: "fire", by: "ann", since: 0, until: undefined });
  world.want("one");
  const outcome = await world.reconcile({ before: (step) => (step === "push" ? pause() : undefined), after: () => undefined });
  expect([outcome.error?.code, world.pushes]).toEqual(["paused", []]);
  await board.resume("manager");
  expect((await world.reconcile()).error).toBeUndefined();
  expect(world.pushes).toEqual(["push ab"]);
});
