import { expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { killer } from "./managed-world.js";
import { sent, tagsOf, wantWatched, watchedWorld } from "./watched-world.js";

const MATCH = { type: "commit", admin: "plumbline" };

it("a watched commit that ends well and does nothing is judged by nobody, and the next run makes it", async () => {
  const world = await watchedWorld("bad", "a");
  wantWatched(world, "good");
  world.lab.fault({ match: MATCH, effect: { kind: "job-does-nothing" } });
  const outcome = await world.reconcile();
  expect([outcome.error?.code, sent(world), outcome.watch?.decision]).toEqual(["commit-failed", [], undefined]);
  expect(tagsOf(world, "a")).toEqual([]);
  const next = await world.reconcile();
  expect([next.error, exitCode([next]), next.watch?.decision]).toEqual([undefined, 0, "confirmed"]);
  expect(sent(world)).toEqual(["push a", "push b"]);
});

it("one that takes a commit back and does nothing is told, and held until somebody looks: nothing goes out meanwhile", async () => {
  const world = await watchedWorld("bad", "a");
  world.lab.fault({ match: { ...MATCH, cmd: "rollback" }, effect: { kind: "job-does-nothing" } });
  expect((await world.reconcile()).error).toMatchObject({ code: "commit-stands", severity: "partial" });
  expect((await world.reconcile()).error).toMatchObject({ code: "own-pending", severity: "refused" });
  expect([tagsOf(world, "a"), sent(world)]).toEqual([["bad"], ["push a"]]);
});

it("one whose run is killed right behind it is made by the next run of another machine, and judged there", async () => {
  const world = await watchedWorld("bad", "b");
  world.lab.fault({ match: MATCH, effect: { kind: "job-does-nothing" } });
  await world.reconcile(killer("after", "commit")).catch(() => undefined);
  world.machine = { ...world.machine, pid: world.machine.pid + 1, isAlive: () => false };
  for (let run = 0; run < 3 && tagsOf(world, "a").length + sent(world).length === 0; run++) await world.reconcile();
  expect(sent(world)).toEqual(["push a", "push b", "push a", "push b"]);
  expect([tagsOf(world, "a"), tagsOf(world, "b")]).toEqual([[], []]);
  wantWatched(world, "good");
  expect(exitCode([await world.reconcile()])).toBe(0);
});
