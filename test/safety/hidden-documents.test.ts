import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { gitIn } from "../../src/engine/checkout/git.js";
import { AgentWorld } from "../agent/world.js";
import { addresses, addressesOf, BARE } from "../engine/apply/scenes.js";
import { World } from "../engine/apply/world.js";

// Git tracks these documents, but a working tree can lack them or contain something else. Their objects must never be deleted.

const SHA = "0123456789012345678901234567890123456789";
const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 120\n`;

function inGit() {
  const world = new World(BARE);
  const git = (...words: string[]): string =>
    execFileSync("git", ["-C", world.folder, "-c", "user.name=ann", "-c", "user.email=a@b", ...words], { encoding: "utf8" }).trim();
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(world.folder, name)), { recursive: true });
    writeFileSync(join(world.folder, name), text);
  };
  git("init", "--quiet", "--initial-branch=main");
  write(".gitignore", "/state\n/ledger.json\n");
  world.want(addresses({ a: "10.0.0.1" }));
  write("edge/sub/more.yaml", addresses({ b: "10.0.0.2" }));
  const commit = (): string => {
    git("commit", "--quiet", "--allow-empty", "--message", "wanted");
    return git("rev-parse", "HEAD");
  };
  git("add", ".");
  commit();
  return { world, git, write, commit };
}

/** Replaces the files of a folder with a submodule that is not checked out. */
function makeSubmodule({ world, git, commit }: ReturnType<typeof inGit>, folder: string): void {
  git("rm", "-r", "--quiet", folder);
  git("update-index", "--add", "--cacheinfo", `160000,${SHA},${folder}`);
  commit();
  mkdirSync(join(world.folder, folder), { recursive: true });
}

function collide({ git, commit }: ReturnType<typeof inGit>): void {
  const sha = git("rev-parse", "HEAD:edge/sub/more.yaml");
  git("update-index", "--add", "--cacheinfo", `100644,${sha},edge/sub/More.yaml`);
  commit();
}

function validate(folder: string) {
  const args = [resolve("dist/cli.js"), "validate", "--format", "json", "--config", join(folder, "plumbline.yaml")];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: { PATH: process.env.PATH, HOME: folder } });
  return JSON.parse(stdout).errors.map(({ code, where }: { code: string; where: { file: string } }) => [code, where.file]);
}

const rejected = (code: string, file: string) => ({
  errors: expect.arrayContaining([expect.objectContaining({ code, where: { file } })]),
});

describe("a submodule in a document folder", () => {
  it("is an error for plan, drift, reconcile, adopt and validate, and deletes nothing", async () => {
    const scene = inGit();
    const { world } = scene;
    await world.reconcile();
    makeSubmodule(scene, "edge/sub");
    const refused = rejected("submodule-in-documents", "edge/sub");
    for (const run of ["plan", "drift", "adopt", "reconcile"] as const) await expect(world[run]()).rejects.toMatchObject(refused);
    expect(addressesOf(world.device.running)).toMatchObject({ a: "10.0.0.1", b: "10.0.0.2" });
    expect(validate(world.folder)).toEqual([["submodule-in-documents", "edge/sub"]]);
  });

  it("is an error if it is the document folder", async () => {
    const scene = inGit();
    makeSubmodule(scene, "edge");
    await expect(scene.world.plan()).rejects.toMatchObject(rejected("submodule-in-documents", "edge"));
  });

  it("is allowed in another folder and in an excluded folder", async () => {
    const scene = inGit();
    const { world, git, write, commit } = scene;
    git("update-index", "--add", "--cacheinfo", `160000,${SHA},tools`);
    git("update-index", "--add", "--cacheinfo", `160000,${SHA},edge/vendored/lib`);
    const configuration = execFileSync("cat", [join(world.folder, "plumbline.yaml")], { encoding: "utf8" });
    write("plumbline.yaml", `${configuration}exclude: [edge/vendored]\n`);
    git("add", "plumbline.yaml");
    commit();
    expect((await world.plan()).error).toBeUndefined();
    expect(validate(world.folder)).toEqual([]);
  });

  it("counts as uncommitted if it is a nested repository that git does not track", async () => {
    const { world, git, write } = inGit();
    write("edge/nested/c.yaml", addresses({ c: "10.0.0.3" }));
    git("init", "--quiet", join(world.folder, "edge/nested"));
    expect((await world.plan()).warnings.join()).toContain("edge/nested/");
  });
});

describe("other tracked documents that a working tree can lack", () => {
  it("are errors if two names differ by case only", async () => {
    const scene = inGit();
    collide(scene);
    await expect(scene.world.plan()).rejects.toMatchObject(rejected("name-collision", "edge/sub/More.yaml"));
    expect(validate(scene.world.folder)).toEqual([
      ["name-collision", "edge/sub/More.yaml"],
      ["name-collision", "edge/sub/more.yaml"],
    ]);
  });

  it("are errors if the file is a Git LFS pointer", async () => {
    const { world, write } = inGit();
    write("edge/sub/more.yaml", POINTER);
    await expect(world.plan()).rejects.toMatchObject(rejected("lfs-pointer", "edge/sub/more.yaml"));
    write("plumbline.yaml", POINTER);
    await expect(world.plan()).rejects.toMatchObject({ errors: [{ code: "lfs-pointer" }] });
  });

  it("delete nothing if a sparse checkout omits them", async () => {
    const { world, git } = inGit();
    await world.reconcile();
    git("sparse-checkout", "set", "--cone", "--sparse-index", "edge/other");
    world.want(addresses({ a: "10.0.0.1" }));
    const outcome = await world.reconcile();
    expect(outcome.warnings.join()).toContain("edge/sub/more.yaml");
    expect(outcome.plan?.refusals.map(({ guard }) => guard)).toContain("dirty");
    expect(addressesOf(world.device.running)).toMatchObject({ b: "10.0.0.2" });
  });
});

describe("the agent", () => {
  const started = async (): Promise<AgentWorld> => {
    const world = await AgentWorld.startForTest();
    world.write("edge/sub/more.yaml", "target: edge\nscope: vsys1\nconfig:\n  address:\n    b: { ip-netmask: 10.0.0.2 }\n");
    world.push("more");
    await world.run();
    await world.event("applied");
    await world.settle();
    return world;
  };
  const push = (world: AgentWorld): string => {
    world.git("commit", "--quiet", "--message", "hidden");
    world.git("push", "--quiet", "origin", "HEAD:main");
    return world.git("rev-parse", "HEAD");
  };

  it("does not accept a commit with a submodule in a document folder, also after a restart", async () => {
    const world = await started();
    world.git("rm", "-r", "--quiet", "edge/sub");
    world.git("update-index", "--add", "--cacheinfo", `160000,${SHA},edge/sub`);
    const commit = push(world);
    const broken = await world.after(240_000, "commit-broken");
    expect(broken.commit).toBe(commit);
    expect(broken.errors.map(({ code }) => code)).toEqual(["submodule-in-documents"]);
    await world.end();
    await world.run();
    await world.event("commit-broken", undefined, world.events.length);
    await world.settle();
    expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1", b: "10.0.0.2" });
    // The next commit loads only changed documents. It still contains the submodule.
    world.want("edge", { a: "10.0.0.9" });
    world.git("add", "edge/objects.yaml");
    push(world);
    await world.after(240_000, "commit-broken");
    expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1", b: "10.0.0.2" });
  });

  it("does not accept a commit with colliding names or with an LFS pointer", async () => {
    const world = await started();
    const sha = world.git("rev-parse", "HEAD:edge/sub/more.yaml");
    world.git("update-index", "--add", "--cacheinfo", `100644,${sha},edge/sub/More.yaml`);
    push(world);
    expect((await world.after(240_000, "commit-broken")).errors.map(({ code }) => code)).toContain("name-collision");
    world.git("rm", "--quiet", "--cached", "edge/sub/More.yaml");
    world.write("edge/sub/more.yaml", POINTER);
    world.git("add", "edge/sub/more.yaml");
    push(world);
    expect((await world.after(240_000, "commit-broken")).errors.map(({ code }) => code)).toEqual(["lfs-pointer"]);
    expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1", b: "10.0.0.2" });
  });

  it("reads documents that .gitattributes marks with export-ignore", async () => {
    const world = await started();
    world.write(".gitattributes", "*.yaml export-ignore\n");
    world.git("add", ".gitattributes");
    push(world);
    await world.after(240_000, "source-fetched");
    await world.settle();
    expect(world.seen("commit-broken")).toBe(0);
    expect(world.addressesOf()).toMatchObject({ a: "10.0.0.1", b: "10.0.0.2" });
    expect((await gitIn(world.work)(["check-attr", "export-ignore", "edge/sub/more.yaml"])).stdout).toContain(": set");
  });
});
