import { expect, it } from "vitest";
import { exitCode } from "../../../src/outcome/outcome.js";
import { killer } from "./managed-world.js";
import { sent, tagsOf, wantWatched, watchedWorld } from "./watched-world.js";

const GROUP = "/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='offices']";
const MATCH = { type: "commit", admin: "plumbline" };

it("a watched commit that ends well without effect is not judged, and the next run makes it", async () => {
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

const TAKES_BACK = { ...MATCH, cmd: "rollback" };

it.each(["the same", "another"])("a rollback without effect is reported, and made by the next run of %s machine", async (whose) => {
  const world = await watchedWorld("bad", "a");
  world.lab.fault({ match: TAKES_BACK, effect: { kind: "job-does-nothing" } });
  const told = await world.reconcile();
  expect(told.error).toMatchObject({ code: "commit-stands", severity: "partial" });
  expect(told.error?.message).toContain("ended well, and all that was to be committed was still uncommitted");
  expect([tagsOf(world, "a"), sent(world)]).toEqual([["bad"], ["push a"]]);
  if (whose === "another") world.machine = { ...world.machine, pid: world.machine.pid + 1, isAlive: () => false };
  expect((await world.reconcile()).error).toMatchObject({ code: "commit-taken-back" });
  expect([tagsOf(world, "a"), sent(world)]).toEqual([[], ["push a", "push a"]]);
  wantWatched(world, "good");
  expect(exitCode([await world.reconcile()])).toBe(0);
});

it("other uncommitted work of the account belongs to someone else, and is not committed", async () => {
  const world = await watchedWorld("bad", "a");
  world.lab.fault({ match: TAKES_BACK, effect: { kind: "job-does-nothing" } });
  await world.reconcile();
  world.as("plumbline", { type: "config", action: "set", xpath: `${GROUP}/tag`, element: "<entry name='by-a-person'/>" });
  world.machine = { ...world.machine, pid: world.machine.pid + 1, isAlive: () => false };
  const { error } = await world.reconcile();
  expect(error).toMatchObject({ code: "commit-stands", cause: { code: "own-pending" } });
  expect([tagsOf(world, "a"), sent(world)]).toEqual([["bad"], ["push a"]]);
});

it("a commit whose run is killed right after it is made by the next run of another machine, and judged there", async () => {
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
