import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { run } from "./harness/run.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-scripts-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const script = (name: "up" | "down") => resolve("test/openstack", name);

describe("up", () => {
  it("reports that the services are unavailable, with the reason, without apt", async () => {
    const tools = join(folder, "bin");
    mkdirSync(tools);
    for (const tool of ["dirname", "readlink", "id"]) symlinkSync(`/usr/bin/${tool}`, join(tools, tool));
    const environment = { PATH: tools, PLUMBLINE_OPENSTACK_ROOT: join(folder, "root"), PLUMBLINE_OPENSTACK_STATE: join(folder, "state") };
    const { code, out, err } = await run(script("up"), [], environment);
    expect({ code, out }).toEqual({ code: 3, out: "" });
    expect(err).toMatch(/^openstack: .*(apt-get or dpkg-deb is missing|only root|no \/usr\/bin\/python3)/);
  });
});

describe("down", () => {
  it("stops no other process that has a recorded process id", async () => {
    const state = join(folder, "state");
    mkdirSync(join(state, "processes"), { recursive: true });
    writeFileSync(join(state, "cloud.json"), JSON.stringify({ root: folder, state, ports: {} }));
    const stranger = spawn("sleep", ["60"]);
    const ended = new Promise((resolve) => stranger.once("exit", (_code, signal) => resolve(signal)));
    const pid = stranger.pid ?? 0;
    const born = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(")").at(-1)?.trim().split(" ")[19]);
    // All is correct except for the command that it runs.
    writeFileSync(join(state, "processes/keystone.json"), JSON.stringify({ pid, born }));
    const environment = { PATH: process.env.PATH ?? "", PLUMBLINE_OPENSTACK_STATE: state };
    expect(await run(script("down"), ["--wipe"], environment)).toMatchObject({ code: 0, err: "openstack: stopped nothing\n" });
    stranger.kill("SIGUSR1");
    expect(await ended).toBe("SIGUSR1");
  });

  it("deletes no folder that is not a cloud's", async () => {
    writeFileSync(join(folder, "precious"), "");
    const environment = { PATH: process.env.PATH ?? "", PLUMBLINE_OPENSTACK_STATE: folder };
    expect(await run(script("down"), ["--wipe"], environment)).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, "precious"), "utf8")).toBe("");
  });
});
