import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { renderMarkdown } from "../../../src/report/markdown/markdown.js";
import { renderText } from "../../../src/report/text.js";
import { type ManagedWorld, whenAt } from "./managed-world.js";
import { sent, tagsOf, wantWatched, watchedWorld } from "./watched-world.js";

const ABOVE = "/config/devices/entry[@name='localhost.localdomain']/device-group/entry[@name='all']";

const pushed = ({ pushed: rows }: TargetOutcome) =>
  rows?.map(({ serial, result, isBack }) => `${serial.slice(-1)} ${result}${isBack === true ? " back" : ""}`);

/** She knows why. */
const breakLock = (world: ManagedWorld) => world.device("manager").locks.releaseAfterCommit("plumbline");

describe("a push whose commit is judged by checks", () => {
  it("stops at the wave that fails, rolls the commit back, and pushes that to exactly the firewalls that have it", async () => {
    const world = await watchedWorld("bad", "a");
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "commit-taken-back", message: expect.stringContaining("no way through") });
    expect(sent(world)).toEqual(["push a", "push a"]);
    expect([tagsOf(world, "a"), tagsOf(world, "b")]).toEqual([[], []]);
    expect(pushed(outcome)).toEqual(["2 not pushed", "1 ok back"]);
    expect(outcome.watch).toMatchObject({ decision: "taken back" });
    const text = renderText("reconcile", [outcome], (_, words) => words);
    expect(text).toMatch(/000001 {2}took it, and has the former state again, wave 1, since \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(renderMarkdown("reconcile", [outcome])).toContain("took it, and has the former state again");
    expect(outcome.firewalls?.rows.map(({ state }) => state)).toEqual(["in sync", "in sync"]);
    // The same documents are not tried again; others are.
    expect((await world.reconcile()).error).toMatchObject({ code: "plan-refused" });
    wantWatched(world, "good");
    const next = await world.reconcile();
    expect(next.error).toBeUndefined();
    expect(exitCode([next])).toBe(0);
    expect(next.watch).toMatchObject({ decision: "confirmed" });
    expect(sent(world).slice(2)).toEqual(["push a", "push b"]);
  });

  it("reverts all waves if the last one fails", async () => {
    const world = await watchedWorld("bad", "b");
    const outcome = await world.reconcile();
    expect(outcome.error).toMatchObject({ code: "commit-taken-back" });
    expect(sent(world)).toEqual(["push a", "push b", "push a", "push b"]);
    expect([tagsOf(world, "a"), tagsOf(world, "b")]).toEqual([[], []]);
  });

  it("keeps commits and pushes of another administrator in between", async () => {
    const world = await watchedWorld("bad", "b");
    const outcome = await world.reconcile(
      whenAt("watch-decide", () => {
        breakLock(world);
        world.commitByHand(ABOVE);
        world.pushByHand("branch");
      }),
    );
    expect(outcome.error).toMatchObject({ code: "commit-taken-back" });
    expect([tagsOf(world, "a"), tagsOf(world, "b")]).toEqual([["theirs"], ["theirs"]]);
  });

  it("waits for another administrator's unpushed commit, and does not push it", async () => {
    const world = await watchedWorld("bad", "a");
    const outcome = await world.reconcile(
      whenAt("watch-decide", () => {
        breakLock(world);
        world.commitByHand(ABOVE);
      }),
    );
    expect(outcome.error).toMatchObject({ code: "commit-stands", severity: "partial", message: expect.stringContaining("alice") });
    expect(sent(world)).toEqual(["push a"]);
    expect((await world.reconcile()).error).toMatchObject({ code: "commit-stands" });
    world.pushByHand("branch");
    expect((await world.reconcile()).error).toMatchObject({ code: "commit-taken-back" });
    expect(sent(world)).toEqual(["push a"]);
    expect(tagsOf(world, "a")).toEqual(["theirs"]);
  });
});
