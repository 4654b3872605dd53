import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isUnderLease, leaseLost, type WriteLease } from "../../src/core/write-lease.js";
import { leaseFence, unshared } from "../../src/engine/apply/fences.js";
import { Unfenced } from "../../src/engine/fence.js";

const FOLDER = join(import.meta.dirname, "unfenced-writes");
const FIXTURE = join(FOLDER, "writes.fixture.ts");
const SOURCES = join(import.meta.dirname, "../../src");
const COMPILER = join(import.meta.dirname, "../../node_modules/typescript/bin/tsc");
const LOST: WriteLease = {
  fence: 1,
  mayWrite: () => {
    throw leaseLost("edge");
  },
};
const HELD: WriteLease = { fence: 1, mayWrite: () => undefined };

/** A role with a call that no list of today knows, on itself and on a role in it. */
class Wiper {
  readonly wiped: (readonly [string, boolean])[] = [];
  readonly deep = { wipe: async (what: string): Promise<void> => void this.wiped.push([what, isUnderLease()]) };

  async wipe(what: string): Promise<void> {
    await this.deep.wipe(what);
  }
}

function unfenced(wiper: Wiper) {
  return new Unfenced({ wipe: (what: string) => wiper.wipe(what), deep: wiper.deep });
}

describe("an additional call of a role", () => {
  it("is made under the lease, which its requests check", async () => {
    const wiper = new Wiper();
    const fenced = unfenced(wiper).behind(leaseFence(HELD, () => expect.unreachable()));
    await fenced.wipe("all");
    await fenced.deep.wipe("more");
    expect(wiper.wiped).toEqual([
      ["all", true],
      ["more", true],
    ]);
  });

  it("is not made after the lease is lost, which is reported", async () => {
    const wiper = new Wiper();
    let losses = 0;
    const fenced = unfenced(wiper).behind(leaseFence(LOST, () => void losses++));
    await expect(fenced.wipe("all")).rejects.toMatchObject({ code: "lease-lost" });
    await expect(fenced.deep.wipe("all")).rejects.toMatchObject({ code: "lease-lost" });
    expect([wiper.wiped, losses]).toEqual([[], 2]);
  });

  it("is made without a check in a run without a lease", async () => {
    const wiper = new Wiper();
    await unfenced(wiper).behind(unshared).wipe("all");
    expect(wiper.wiped).toEqual([["all", false]]);
  });
});

it("a writer has no accessible calls before it is fenced", () => {
  const role = unfenced(new Wiper());
  expect([Object.keys(role), "wipe" in role, "deep" in role]).toEqual([[], false, false]);
});

it("a write without a fence, and a step of an apply in the wrong state, do not compile", async () => {
  const output = await compile();
  const wrong = [...output.matchAll(/writes\.fixture\.ts\((\d+),/g)].map(([, line]) => Number(line));
  const marked = readFileSync(FIXTURE, "utf8")
    .split("\n")
    .flatMap((line, index) => (/\/\/ \d+:/.test(line) ? [index + 1] : []));
  expect(marked).toHaveLength(13);
  expect([...new Set(wrong)]).toEqual(marked);
  expect(output.split("\n").filter((line) => line.includes("error TS") && !line.includes("writes.fixture.ts"))).toEqual([]);
});

it("only two places create a fence: a run that applies, and the trial of doctor, which commits nothing", () => {
  const sources = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const opening = sources.filter((file) => /\bwriter\s*\.behind\(/.test(readFileSync(join(SOURCES, file), "utf8")));
  expect(opening.sort()).toEqual(["capability-trials.ts", "new-session.ts"].map((name) => join("engine", "apply", name)));
});

function compile(): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [COMPILER, "--noEmit", "-p", FOLDER], (_, stdout) => resolve(stdout));
  });
}
