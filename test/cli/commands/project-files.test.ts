import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../../src/agent/store/open.js";
import { stateFolder } from "../../../src/cli/options.js";
import { afterTest } from "../../after-test.js";
import { runIn } from "../run-in.js";

let folder: string;

/** A repository with two targets of which no device is reached. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "project-"));
  afterTest(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...words: string[]) => execFileSync("git", ["-C", folder, "-c", "user.name=x", "-c", "user.email=x@example.net", ...words]);
  git("init", "--quiet");
  writeFileSync(join(folder, ".gitignore"), "state\nbackup\n");
  writeFileSync(
    join(folder, "plumbline.yaml"),
    "format: 1\nowner: x\ndocuments: [docs]\ntargets:\n  a: { kind: memory, file: a.xml }\n  b: { kind: memory, file: b.xml }\n  c: { kind: memory, file: c.xml }\n",
  );
  for (const name of ["a", "b", "c"]) writeFileSync(join(folder, `${name}.xml`), "<config/>");
  mkdirSync(join(folder, "docs"));
  writeFileSync(join(folder, "docs", "a.yaml"), "target: a\nat: /config\nconfig: {}\n");
  git("add", ".");
  git("commit", "--quiet", "-m", "x");
});

describe("plumbline schema", () => {
  it("writes the schemas, and validate reports those of another version", async () => {
    const first = await runIn(folder, ["schema"]);
    expect([first.code, first.out]).toEqual([0, expect.stringContaining("4 of 4 schemas written")]);
    expect((await runIn(folder, ["schema"])).out).toContain("0 of 4 schemas written");
    const file = join(folder, "schemas", "panos.schema.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ title: "panos document" });
    expect((await runIn(folder, ["validate"])).text).not.toContain("schema-outdated");
    writeFileSync(file, readFileSync(file, "utf8").replace(/plumbline \d+\.\d+\.\d+/, "plumbline 0.0.1"));
    const { code, err } = await runIn(folder, ["validate"]);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/Another version .*\[schema-outdated\][\s\S]*schemas\/panos\.schema\.json[\s\S]*plumbline schema/),
    ]);
    await runIn(folder, ["schema"]);
    expect((await runIn(folder, ["validate"])).text).not.toContain("schema-outdated");
  });
});

describe("plumbline backup", () => {
  it("copies the store in use and the state, without clones and links, and the copy works as a state folder", async () => {
    const state = join(folder, "state");
    expect((await runIn(folder, ["pause", "a", "--reason", "CHG-1"])).code).toBe(0);
    const store = await openStore({ kind: "sqlite", file: join(state, "plumbline.db") }, { readOnly: false });
    afterTest(() => store.close());
    mkdirSync(join(state, "agent", "source"), { recursive: true });
    writeFileSync(join(state, "agent", "source", "clone"), "x");
    writeFileSync(join(state, "key"), "secret");
    chmodSync(join(state, "key"), 0o600);
    symlinkSync("/etc/passwd", join(state, "link"));
    const { code, out } = await runIn(folder, ["backup", "--out", "backup"]);
    expect([code, out]).toEqual([0, expect.stringContaining("plumbline.db is a copy of")]);
    const copy = join(folder, "backup");
    expect(readFileSync(join(copy, "key"), "utf8")).toBe("secret");
    expect([existsSync(join(copy, "agent")), existsSync(join(copy, "link"))]).toEqual([false, false]);
    expect(readdirSync(copy).filter((name) => name.startsWith("plumbline.db"))).toEqual(["plumbline.db"]);
    for (const name of ["key", "plumbline.db"]) expect(statSync(join(copy, name)).mode & 0o077).toBe(0);
    expect(statSync(copy).mode & 0o077).toBe(0);
    const restored = await runIn(folder, ["history", "--state", copy]);
    expect([restored.code, restored.out]).toEqual([0, expect.stringContaining("CHG-1")]);
    expect((await runIn(folder, ["backup", "--out", "backup"])).err).toContain("not empty");
  });
});

it("pause and resume take several targets, and change none if one is unknown", async () => {
  const pausedIn = async (): Promise<string> => (await runIn(folder, ["history"])).out;
  expect((await runIn(folder, ["pause", "a", "nobody", "--reason", "x"])).code).toBe(1);
  expect(await pausedIn()).not.toContain("paused");
  const paused = await runIn(folder, ["pause", "a", "b", "--reason", "x"]);
  expect([paused.code, paused.out]).toEqual([0, expect.stringMatching(/^a, b are paused until/m)]);
  const resumed = await runIn(folder, ["resume", "a", "b", "c", "--format", "json"]);
  const { targets } = JSON.parse(resumed.out);
  expect(targets).toMatchObject([
    { target: "a", wasPaused: true },
    { target: "b", wasPaused: true },
    { target: "c", wasPaused: false },
  ]);
});

it.each(["", "relative"])("HOME=%s does not place the state in the working folder", (home) => {
  const context = { folder, environment: { HOME: home } } as never;
  expect(stateFolder({} as never, context)).toBe(join(homedir(), ".local", "state", "plumbline"));
});
