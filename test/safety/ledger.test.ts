import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Path } from "../../src/core/tree/path.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { decodeRecord } from "../../src/engine/ledger/codec.js";
import type { LedgerRecord } from "../../src/engine/ledger/ledger.js";
import type { WriteTarget } from "../../src/engine/write-target.js";
import { exitCode } from "../../src/outcome/outcome.js";
import { ADDRESS, addresses, addressesOf, BARE, setAddress } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";
import { CloudWorld } from "../targets/openstack/cloud-world.js";

const WANTED = { a: "10.0.0.1", b: "10.0.0.2" };
const ledgerFile = (world: World): string => join(world.folder, "ledger.json");
const text = (world: World): string => readFileSync(ledgerFile(world), "utf8");
const bundle = (world: World) => JSON.parse(text(world)) as { ledgers: Record<string, Record<string, string>> };
const ledgerIn = (world: World): string => bundle(world).ledgers["netops-edge"]?.edge ?? "";
const recordIn = (world: World): LedgerRecord => decodeRecord(ledgerIn(world));
const at = (name: string): string => `${ADDRESS}/entry[@name='${name}']`;

/** Rewrites the ledger as the version before wrote it. */
function asFormat1(world: World): void {
  const { rows, ...others } = recordIn(world);
  expect(rows).toBeDefined();
  const all = bundle(world);
  all.ledgers["netops-edge"] = { edge: JSON.stringify({ format: 1, ...others }) };
  writeFileSync(ledgerFile(world), JSON.stringify(all));
}

/** The rule of the version before. */
function decodeAsFormat1(ledger: string): void {
  const { format } = JSON.parse(ledger) as { format?: unknown };
  if (format !== 1) throw new Error(`format ${String(format)} is not known`);
}

/** A colleague sets an address and commits it. */
function theirs(world: World, name: string, ip: string): void {
  world.device.write("alice", [setAddress(ADDRESS, name, ip)]);
  world.device.commit("alice", "", true);
}

/** The same target, which reports that alice changed `a` last. */
const withAttribution = (target: WriteTarget): WriteTarget =>
  new Proxy(target, {
    get: (real, key) => {
      if (key === "attribution")
        return async (path: Path) => ({ admin: at("a") === path.parent?.toString() ? "alice" : "netops", time: undefined });
      const value: unknown = Reflect.get(real, key);
      return typeof value === "function" ? value.bind(real) : value;
    },
  });

/** A world in a repository, and a function that commits its desired state. */
function inGit() {
  const world = new World(BARE);
  const git = (...words: string[]) => execFileSync("git", ["-C", world.folder, "-c", "user.name=ann", "-c", "user.email=a@b", ...words]);
  git("init", "--quiet");
  writeFileSync(join(world.folder, ".gitignore"), "/state\n/ledger.json\n");
  const commit = (wanted: Record<string, string>): void => {
    world.want(addresses(wanted));
    git("add", ".");
    git("commit", "--quiet", "--message", "wanted");
  };
  return { world, commit };
}

describe("a ledger that a later version wrote", () => {
  it("is never overwritten, neither by a reconcile nor by adopt", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    await world.reconcile();
    const newer = text(world).replaceAll(/\\"format\\": *\d+/g, '\\"format\\": 99');
    expect(newer).not.toBe(text(world));
    writeFileSync(ledgerFile(world), newer);
    world.want(addresses({ a: "10.0.0.9" }));
    const [planned, reconciled, adopted] = [await world.plan(), await world.reconcile(), await world.adopt()];
    expect(planned.plan?.deletionsUnknown).toBe(true);
    expect([reconciled.error, adopted.error]).toMatchObject([{ code: "ledger-newer" }, { code: "ledger-newer" }]);
    expect([reconciled, adopted].map(({ error }) => error?.next)).toEqual([
      expect.stringContaining("Upgrade this runner. Do not adopt"),
      expect.stringContaining("Upgrade this runner. Do not adopt"),
    ]);
    expect(exitCode([reconciled])).toBe(3);
    expect(text(world)).toBe(newer);
  });

  it("is equally safe in a file of ledgers of a later format", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    await world.reconcile();
    const newer = text(world).replace('"format": 1', '"format": 7');
    writeFileSync(ledgerFile(world), newer);
    world.want(addresses({ a: "10.0.0.9" }));
    expect((await world.adopt()).error).toMatchObject({ code: "ledger-newer" });
    expect((await world.reconcile()).error).toMatchObject({ code: "ledger-newer" });
    expect(text(world)).toBe(newer);
  });
});

describe("the origin of a row", () => {
  const foreign = { theirs: "192.0.2.9" };

  it("is recorded with the former state, the run and no values", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", theirs: "192.0.2.9" }));
    await world.reconcile();
    const record = recordIn(world);
    expect(record.rows?.[at("a")]).toMatchObject({ came: "made", print: expect.stringMatching(/^[0-9a-f]{32}$/), run: expect.any(String) });
    expect(record.rows?.[at("theirs")]).toMatchObject({ came: "equal" });
    expect(text(world)).not.toContain("10.0.0.1");
  });

  it("of an equal object that was only found keeps it when it leaves the files, with the exact command, until it is adopted", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", ...foreign }));
    await world.reconcile();
    world.want(addresses({ a: "10.0.0.1" }));
    const command = `plumbline adopt edge --path "${at("theirs")}"`;
    for (let pass = 1; pass <= 2; pass++) {
      const outcome = await world.reconcile();
      expect(outcome.error).toBeUndefined();
      expect(outcome.plan?.findings).toMatchObject([{ kind: "only-found", refuses: false, message: expect.stringContaining(command) }]);
      expect(addressesOf(world.device.running)).toMatchObject(foreign);
    }
    expect((await world.drift()).drift?.items).toEqual([]);
    expect(exitCode([await world.plan()])).toBe(0);
    expect((await world.adopt()).error).toBeUndefined();
    expect((await world.plan()).plan?.operations).toEqual([]);
    expect((await world.adopt({ pass: { only: parsePath(at("theirs")) } })).error).toBeUndefined();
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ a: "10.0.0.1" });
  });

  it("of an object that was found equal and adopted while declared deletes it when it leaves the files", async () => {
    const world = new World(BARE).want(addresses(foreign));
    await world.adopt();
    world.want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    expect(addressesOf(world.device.running)).toEqual({ a: "10.0.0.1" });
  });

  it("of an announced object that was never written does not own it", async () => {
    const world = new World(BARE).want(addresses({ theirs: "10.7.7.7" }));
    const kill = { before: (step: string) => (step === "write" ? Promise.reject(new Error("killed")) : undefined), after: () => undefined };
    await world.reconcile({ observer: kill });
    expect(addressesOf(world.device.running)).toEqual(foreign);
    for (const a of ["10.0.0.1", "10.0.0.2"]) {
      world.want(addresses({ a }));
      await world.reconcile();
      expect(addressesOf(world.device.running)).toEqual({ a, ...foreign });
    }
  });

  it("of an announced object that was never written does not own it, even if files match it later", async () => {
    const world = new World(BARE).want(addresses({ theirs: "10.7.7.7" }));
    const kill = { before: (step: string) => (step === "write" ? Promise.reject(new Error("killed")) : undefined), after: () => undefined };
    await world.reconcile({ observer: kill });
    world.want(addresses(foreign));
    await world.reconcile();
    world.want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    expect(addressesOf(world.device.running)).toEqual({ a: "10.0.0.1", ...foreign });
  });

  it("is unknown for rows of format 1, which keep their meaning: deleted when they leave the files", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", b: "10.0.0.2" }));
    await world.reconcile();
    asFormat1(world);
    world.want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    expect(addressesOf(world.device.running)).toEqual({ a: "10.0.0.1", ...foreign });
    expect(JSON.parse(ledgerIn(world))).toMatchObject({ format: 2, rows: { [at("a")]: { print: expect.any(String) } } });
  });

  it("is in a format that earlier versions refuse, so that they delete nothing by it", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1" }));
    await world.reconcile();
    expect(() => decodeAsFormat1(ledgerIn(world))).toThrow("format 2 is not known");
  });
});

describe("a deletion by the ledger", () => {
  it("of an object that was changed since is refused until allowed; a heal is not", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", b: "10.0.0.2" }));
    await world.reconcile();
    theirs(world, "b", "10.9.9.9");
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toMatchObject({ b: "10.0.0.2" });
    theirs(world, "b", "10.9.9.9");
    world.want(addresses({ a: "10.0.0.1" }));
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(refused.plan?.refusals).toMatchObject([{ guard: "not-as-left", allow: `--allow "not-as-left=${at("b")}"` }]);
    expect(addressesOf(world.device.running)).toMatchObject({ b: "10.9.9.9" });
    const allow = new Map([["not-as-left", at("b")]]);
    expect((await world.reconcile({ pass: { allow } })).error).toBeUndefined();
    expect(addressesOf(world.device.running)).toEqual({ a: "10.0.0.1", theirs: "192.0.2.9" });
  });

  it("follows a manual change that the files adopted", async () => {
    const world = new World(BARE).want(addresses({ a: "10.0.0.1", b: "10.0.0.2" }));
    await world.reconcile();
    theirs(world, "b", "10.9.9.9");
    world.want(addresses({ a: "10.0.0.1", b: "10.9.9.9" }));
    await world.reconcile();
    world.want(addresses({ a: "10.0.0.1" }));
    expect((await world.reconcile()).error).toBeUndefined();
    expect(addressesOf(world.device.running)).not.toHaveProperty("b");
  });
});

describe("a row that already matched the next commit", () => {
  it("is remembered as that commit left it: a value that is put back later belongs to others, and is not pruned without a request", async () => {
    const world = (await CloudWorld.start()).want("networks: { a: { description: one } }");
    await world.reconciled();
    const { network } = world.lab.world;
    const standing = () => network.all("network").find(({ name }) => name === "a");
    const theirs = (description: string) => world.act("PUT", `/v2.0/networks/${standing()?.id}`, { network: { description } });
    theirs("two");
    world.want("networks: { a: { description: two }, b: {} }");
    await world.reconciled();
    theirs("one");
    world.want("networks: { b: {} }");
    const outcome = await world.reconcile();
    expect(outcome.plan?.refusals).toMatchObject([{ guard: "not-as-left" }]);
    expect(standing()).toMatchObject({ description: "one" });
  });
});

describe("content of a run that could not record it at its end", () => {
  it("is remembered as that run left it, once a later run has read it", async () => {
    const { world, commit } = inGit();
    commit({ a: "10.0.0.1", b: "10.0.0.1" });
    await world.reconcile();
    commit({ a: "10.0.0.2", b: "10.0.0.1" });
    const kept = `${ledgerFile(world)}.kept`;
    const takeAway = (step: string) => {
      if (step !== "ledger-after") return;
      renameSync(ledgerFile(world), kept);
      mkdirSync(ledgerFile(world));
    };
    expect((await world.reconcile({ observer: { before: takeAway, after: () => undefined } })).error).toBeDefined();
    rmdirSync(ledgerFile(world));
    renameSync(kept, ledgerFile(world));
    const next = await world.reconcile();
    expect([next.error, next.applied]).toMatchObject([undefined, { operations: 0 }]);
    theirs(world, "a", "10.0.0.1");
    commit({ b: "10.0.0.1" });
    const { plan } = await world.reconcile();
    expect(plan?.refusals).toMatchObject([{ guard: "not-as-left" }]);
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.1" });
  });
});

describe("differences after a run that was killed after its commit", () => {
  it("are attributed: written content to the run, and restored former content to its author", async () => {
    const { world, commit } = inGit();
    commit({ a: "10.0.0.1", b: "10.0.0.1" });
    await world.reconcile();
    commit({ a: "10.0.0.2", b: "10.0.0.2" });
    const killed = (step: string) => {
      if (step === "ledger-after") throw new Error("killed");
    };
    expect((await world.reconcile({ observer: { before: killed, after: () => undefined } })).error).toBeDefined();
    theirs(world, "a", "10.0.0.1");
    commit({ a: "10.0.0.3", b: "10.0.0.3" });
    const { drift } = await world.drift({ wrap: withAttribution });
    expect(drift?.items.map(({ change, isOfDesired }) => [/'([^']+)'\]\/ip/.exec(`${change.path}`)?.[1], isOfDesired])).toEqual([
      ["a", false],
      ["b", true],
    ]);
  });
});

describe("a device without locks", () => {
  it("does not lose a commit between the last check and the write: it is seen before the own commit", async () => {
    const world = new World(BARE).want(addresses(WANTED));
    world.capabilities = { ...world.capabilities, locks: false };
    await world.reconcile();
    world.want(addresses({ a: "10.0.0.1" }));
    const meddle = (step: string) => {
      if (step === "write") theirs(world, "b", "10.9.9.9");
    };
    const { error } = await world.reconcile({ observer: { before: meddle, after: () => undefined } });
    expect(error).toMatchObject({ code: "foreign-change", severity: "refused", where: { xpath: at("b") } });
    expect(addressesOf(world.device.running)).toMatchObject({ b: "10.9.9.9" });
    expect((await world.reconcile()).plan?.refusals).toMatchObject([{ guard: "not-as-left" }]);
  });
});
