import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/program.js";
import { RecordingServer } from "../../pull-request/recording-server.js";

let server: RecordingServer;
let folder: string;
beforeEach(async () => {
  server = await RecordingServer.start("github");
  folder = mkdtempSync(join(tmpdir(), "plumbline-pr-"));
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function run(line: string, stdin: string, environment: Record<string, string> = server.environment) {
  let out = "";
  let err = "";
  const code = await runCli(line.split(" "), {
    environment,
    folder,
    stdin: async function* () {
      yield stdin;
    },
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    now: () => new Date(),
    stop: new AbortController().signal,
  });
  return { code, out, err };
}

describe("plumbline pr comment", () => {
  it("reads the text from a pipe or a file", async () => {
    expect(await run("pr comment", "**no changes**\n")).toMatchObject({ code: 0, out: expect.stringMatching(/^created {2}http/) });
    writeFileSync(join(folder, "plan.md"), "one change");
    expect(await run("pr comment --file plan.md", "")).toMatchObject({ code: 0, out: expect.stringMatching(/^updated/) });
    expect(await run("pr comment --file plan.md --name edge", "")).toMatchObject({ code: 0, out: expect.stringMatching(/^created/) });
    expect(server.comments.map(({ body }) => body.split("\n")[1])).toEqual(["one change", "one change"]);
  });

  it("prefers flags to variables", async () => {
    const { PLUMBLINE_TOKEN = "" } = server.environment;
    const line = `pr comment --host github --repo ${server.repository} --pr 42 --api ${server.api}`;
    expect((await run(line, "x", { PLUMBLINE_TOKEN })).code).toBe(0);
  });

  it("ends with 1, a code and a next step, and without the token", async () => {
    expect(await run("pr comment", "")).toMatchObject({ code: 1, err: expect.stringContaining("comment-empty") });
    expect(await run("pr comment --file missing.md", "")).toMatchObject({ code: 1, err: expect.stringContaining("comment-unreadable") });
    const wrong = await run("pr comment --pr 43", "x");
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("code-host-not-found") });
    expect(wrong.err).not.toContain(server.token);
  });
});
