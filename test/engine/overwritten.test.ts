import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { overwrittenWarnings } from "../../src/engine/overwritten.js";
import type { WriteTarget } from "../../src/engine/write-target.js";
import type { DriftItem } from "../../src/outcome/outcome.js";
import { type Attribution, lastChangeOfObject } from "../../src/plan/diff/change.js";
import { ADDRESS, addresses, BARE, setAddress } from "./apply/scenes.js";
import { World } from "./apply/world.js";

const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";

function item(path: string, admin?: string): DriftItem {
  const attribution = admin === undefined ? undefined : { admin, time: "2026/11/21 03:04:11" };
  return {
    change: { kind: "change", path: parsePath(path), live: undefined, desired: undefined } as unknown as DriftItem["change"],
    attribution,
  };
}

describe("overwritten changes", () => {
  it("are one line per person and entry, with details", () => {
    const rule = `${RULES}/entry[@name='web-to-db']`;
    expect(overwrittenWarnings([item(`${rule}/source`, "mkovacs"), item(`${rule}/description`, "mkovacs"), item(rule)])).toEqual([
      `overwrote a manual change to rules web-to-db (source, description) by "mkovacs" at 2026/11/21 03:04:11`,
      "overwrote a manual change to rules web-to-db",
    ]);
  });

  it("name no author if the target reports only a time", () => {
    expect(overwrittenWarnings([item(`${RULES}/entry[@name='web']`, "unknown")])).toEqual([
      "overwrote a manual change to rules web at 2026/11/21 03:04:11",
    ]);
    const attribution = lastChangeOfObject("2026-11-21T03:04:11Z");
    expect(overwrittenWarnings([{ ...item(`${RULES}/entry[@name='web']`), attribution }])).toEqual([
      "overwrote a manual change to rules web no later than 2026-11-21T03:04:11Z",
    ]);
  });

  it("are shortened after five lines, with the number of others", () => {
    const many = Array.from({ length: 8 }, (_, n) => item(`${RULES}/entry[@name='r${n}']`, "alice"));
    const words = overwrittenWarnings(many);
    expect(words).toHaveLength(6);
    expect(words.at(-1)).toBe("overwrote 3 more manual changes");
  });
});

/** The device names this author as the last one, for every path. */
const lastBy =
  (attribution: Attribution | undefined) =>
  (target: WriteTarget): WriteTarget =>
    Object.assign(target, { attribution: async () => attribution });

const ALICE = { admin: "alice", time: "2026/11/21 03:04:11" };

describe("a change counts as manual", () => {
  it.each([
    ["no author", undefined],
    ["the author of an older change", ALICE],
    ["an unknown author", { admin: "unknown", time: undefined }],
  ])("not after a run that the device refused, if it reports %s", async (_, attribution) => {
    const world = new World(BARE);
    const git = (...words: string[]) =>
      execFileSync("git", ["-C", world.folder, "-c", "user.name=ann", "-c", "user.email=a@b", ...words], { stdio: "ignore" });
    const commit = (wanted: Record<string, string>) => {
      world.want(addresses(wanted));
      git("add", ".");
      git("commit", "--message", "wanted");
    };
    git("init", "--quiet");
    writeFileSync(join(world.folder, ".gitignore"), "/state\n/ledger.json\n");
    commit({ a: "10.0.0.1" });
    await world.reconcile();
    commit({ a: "10.0.0.2" });
    world.device.failNextCommit = ["refused"];
    expect((await world.reconcile()).error?.code).toBe("commit-failed");
    const drift = await world.drift({ wrap: lastBy(attribution) });
    expect(drift.drift?.items.map((each) => each.attribution)).toEqual([undefined]);
    const outcome = await world.reconcile({ wrap: lastBy(attribution) });
    expect(outcome.error).toBeUndefined();
    expect([outcome.overwritten ?? [], outcome.warnings.filter((each) => each.includes("manual"))]).toEqual([[], []]);
  });

  it("if the content differs from the last applied one, with or without a known author", async () => {
    for (const attribution of [undefined, ALICE]) {
      const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
      await world.reconcile();
      world.device.write("alice", [setAddress(ADDRESS, "a", "10.9.9.9")]);
      world.device.commit("alice", "manual", false);
      const outcome = await world.reconcile({ wrap: lastBy(attribution) });
      expect(outcome.overwritten).toMatchObject([{ attribution }]);
    }
  });

  it("not if only an ignored part of the entry changed", async () => {
    const ignored = `ignore: [{ path: "${ADDRESS}/entry[@name='a']/description", owner: ann, reason: theirs }]\nconfig:`;
    const wanted = (ip: string) => addresses({ a: ip }).replace("config:", ignored);
    const world = new World(BARE).want(wanted("10.0.0.1"));
    await world.reconcile();
    const element = new TreeNode("description", undefined, "by alice");
    world.device.write("alice", [{ action: "set", at: parsePath(`${ADDRESS}/entry[@name='a']`), element }]);
    world.device.commit("alice", "manual", false);
    world.want(wanted("10.0.0.2"));
    const outcome = await world.reconcile({ wrap: lastBy(ALICE) });
    expect([outcome.error, outcome.overwritten ?? []]).toEqual([undefined, []]);
  });
});
