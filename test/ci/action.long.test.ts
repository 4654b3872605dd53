import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { serveGit } from "../agent/git/git-server.js";
import { type CliWorld, openWorld } from "../cli/world.js";
import { RecordingServer } from "../pull-request/recording-server.js";
import { Checkout, runAction, runGitlab } from "./pipeline.js";

const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";

let world: CliWorld;
let checkout: Checkout;
let server: RecordingServer;
let temporary: string;

async function open(kind: "github" | "gitlab"): Promise<void> {
  world = await openWorld();
  server = await RecordingServer.start(kind);
  expect((await world.run("adopt edge")).code).toBe(0);
  expect((await world.run("reconcile")).code).toBe(0);
  checkout = new Checkout(world.folder);
  temporary = mkdtempSync(join(tmpdir(), "plumbline-runner-"));
}

afterEach(async () => {
  checkout.close();
  rmSync(temporary, { recursive: true, force: true });
  await server.close();
  await world.close();
});

/** Settings of the job for every step. */
const secrets = () => ({
  PLUMBLINE_TARGET_EDGE_URL: world.lab.device.url,
  PLUMBLINE_TARGET_EDGE_CA: join(world.folder, "ca.pem"),
  PLUMBLINE_USER: "plumbline",
  PLUMBLINE_PASSWORD: "plumbline",
  PLUMBLINE_STATE_DIR: join(world.folder, "state"),
});
const addAddress = () =>
  checkout.proposeChange("desired-state/edge/objects.yaml", (text) =>
    text.replace("    dns-01:", "    new-1: { ip-netmask: 10.1.1.1 }\n    dns-01:"),
  );

describe("the steps of action.yml", () => {
  beforeEach(() => open("github"), 120_000);

  const github = (head = "netops/firewalls") => ({
    "github.token": server.token,
    "github.event.pull_request.number": "42",
    "github.event.pull_request.head.repo.full_name": head,
  });
  const run = (inputs = {}, expressions: Record<string, string> = github(), environment: Record<string, string> = {}) =>
    runAction(checkout.folder, inputs, expressions, {
      ...secrets(),
      GITHUB_ACTIONS: "true",
      RUNNER_TEMP: temporary,
      GITHUB_API_URL: server.api,
      GITHUB_REPOSITORY: server.repository,
      GITHUB_REF: "refs/pull/42/merge",
      ...environment,
    });

  it("plan the merge result, comment once, and succeed with pending changes", async () => {
    addAddress();
    const first = await run();
    expect(first).toMatchObject({ code: 0, outputs: { "exit-code": "2", mode: "plan", pending: "true" } });
    expect(first.output).toContain("new-1");
    expect(server.comments).toHaveLength(1);
    expect(server.comments[0]?.body).toMatch(
      /^<!-- plumbline:comment:plan -->\n### Plumbline plan\n[\s\S]*\+ new-1[\s\S]*_This is a plan of the merge result\._$/,
    );
    expect(first.summary).toContain("+ new-1");
    const sarif = JSON.parse(readFileSync(join(first.outputs.reports ?? "", "plan.sarif"), "utf8"));
    expect(sarif.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri).toBe("desired-state/edge/objects.yaml");
    expect(checkout.git("status", "--porcelain")).toBe("");
    expect((await run()).output).toContain("unchanged");
    expect(server.comments).toHaveLength(1);
  }, 120_000);

  it("print one line without changes", async () => {
    expect(await run({ "comment-name": "edge", targets: "edge" })).toMatchObject({
      code: 0,
      outputs: { "exit-code": "0", pending: "false" },
    });
    expect(server.comments.map(({ body }) => body.split("\n").slice(0, 2))).toEqual([
      ["<!-- plumbline:comment:edge -->", "**Plumbline plan**: no changes on 1 target."],
    ]);
  }, 120_000);

  it("fail if a guard refuses, and name the guard in the comment", async () => {
    addAddress();
    // Another administrator is changing the object that the plan would create.
    const theirs = { xpath: `${VSYS}/address/entry[@name='new-1']`, element: "<ip-netmask>10.9.9.9</ip-netmask>" };
    world.lab.device.act("mkovacs", { type: "config", action: "set", ...theirs });
    const { code, outputs } = await run();
    expect({ code, outputs }).toMatchObject({ code: 3, outputs: { "exit-code": "3" } });
    expect(server.comments[0]?.body).toContain("⛔ **refused: ");
  }, 120_000);

  it("fail if the desired state does not load, with the position in the comment", async () => {
    checkout.proposeChange(
      "desired-state/edge/bad.yaml",
      () => "target: edge\nscope: vsys1\nconfig:\n  address:\n    a: { ip-netmask: }\n",
    );
    expect(await run()).toMatchObject({ code: 1 });
    expect(server.comments[0]?.body).toContain("`edge/bad.yaml:5");
  }, 120_000);

  it("only validate a fork: they read no secret, write no comment and execute none of its code", async () => {
    addAddress();
    const valid = await run({}, github("mallory/firewalls"), {
      PLUMBLINE_PASSWORD: "",
      PLUMBLINE_USER: "",
      PLUMBLINE_TARGET_EDGE_URL: "https://192.0.2.1",
    });
    expect(valid).toMatchObject({ code: 0, outputs: { mode: "validate", pending: "false" } });
    expect(valid.summary).toContain("was not planned, because the commit may come from another repository");
    expect(server.requests).toEqual([]);
    checkout.proposeChange("desired-state/edge/bad.yaml", () => "target: edge\nscope: nowhere\nconfig: {}\n");
    expect((await run({}, github(""))).code).toBe(1);
  }, 120_000);

  it("write nothing through files that a fork puts in place of the reports", async () => {
    const script = join(temporary, "comment.sh");
    writeFileSync(script, "echo untouched\n");
    for (const name of [".plumbline", "desired-state/.plumbline"]) {
      mkdirSync(join(checkout.folder, name));
      for (const report of ["validate.txt", "plan.md", "code", "plan.sarif"]) symlinkSync(script, join(checkout.folder, name, report));
    }
    writeFileSync(join(checkout.folder, "desired-state", "edge", "$(touch ran)\n::error::x.txt"), "");
    expect(await run({}, github("mallory/firewalls"))).toMatchObject({ code: 1, outputs: { mode: "validate" } });
    expect(readFileSync(script, "utf8")).toBe("echo untouched\n");
    expect(existsSync(join(checkout.folder, "ran"))).toBe(false);
  }, 120_000);

  it("do not let text of a commit become a runner command", async () => {
    writeFileSync(join(checkout.folder, "desired-state", "edge", "a\n::set-env name=PATH::x.txt"), "");
    const { output } = await run({}, github("mallory/firewalls"));
    const [, word] = /^::stop-commands::([0-9a-f]{32})$/m.exec(output) ?? [];
    expect(word).toBeDefined();
    const lines = output.split("\n").map((line) => line.trimStart());
    const [begin, end] = [lines.indexOf(`::stop-commands::${word}`), lines.indexOf(`::${word}::`)];
    const orders = lines.flatMap((line, at) => (line.startsWith("::") && at !== begin && at !== end ? [at] : []));
    expect(begin).toBeLessThan(end);
    expect(orders).toEqual([]);
    expect(lines.slice(begin, end)).toContainEqual(expect.stringMatching(/^at edge\/a\\n::set-env name=PATH::/));
  }, 120_000);

  it.each([
    ["a run that follows another", { GITHUB_EVENT_NAME: "workflow_run" }, "validate"],
    ["a push", { GITHUB_EVENT_NAME: "push" }, "plan"],
    ["a CI that nobody knows", { GITHUB_ACTIONS: "", GITHUB_EVENT_NAME: "push" }, "validate"],
  ])(
    "of %s",
    async (_what, environment, mode) => {
      const none = { ...github(""), "github.event.pull_request.number": "" };
      expect((await run({ comment: "false" }, none, environment)).outputs).toMatchObject({ mode });
    },
    120_000,
  );

  it("give the plan no token of the code host, and run none of its commands", async () => {
    checkout.proposeChange("desired-state/plumbline.yaml", (text) =>
      text.replace("${env:PLUMBLINE_PASSWORD}", "${exec:touch ran; echo plumbline}"),
    );
    expect(await run()).toMatchObject({ code: 1, output: expect.stringContaining("secret-command-not-allowed") });
    expect(existsSync(join(checkout.folder, "desired-state/ran"))).toBe(false);
    checkout.proposeChange("desired-state/plumbline.yaml", (text) => text.replace("${env:PLUMBLINE_PASSWORD}", "${env:GITHUB_TOKEN}"));
    const { code, output } = await run({}, github(), { GITHUB_TOKEN: server.token });
    expect({ code, output }).toMatchObject({
      code: 1,
      output: expect.stringContaining("the environment variable GITHUB_TOKEN is not set"),
    });
    expect(output).not.toContain(server.token);
  }, 120_000);

  it("read only the references that the target branch lists, whatever the pull request lists", async () => {
    const file = "desired-state/plumbline.yaml";
    const listing = (more: string) => (text: string) => text.replace("format: 1\n", `format: 1\nreferences: [${more}]\n`);
    checkout.proposeChange(file, listing('"env:PLUMBLINE_*"'));
    checkout.git("push", "-q", "origin", "HEAD:main");
    checkout.git("fetch", "-q", "origin");
    const base = { GITHUB_BASE_REF: "main" };
    addAddress();
    expect(await run({}, github(), base)).toMatchObject({ code: 0, outputs: { mode: "plan", pending: "true" } });
    checkout.proposeChange(file, (text) =>
      text.replace('"env:PLUMBLINE_*"', '"env:PLUMBLINE_*", "file:/**"').replace("${env:PLUMBLINE_USER}", "${file:/proc/self/environ}"),
    );
    expect(await run({}, github(), base)).toMatchObject({ code: 1, output: expect.stringContaining("reference-not-approved") });
    const gone = await run({}, github(), { GITHUB_BASE_REF: "no-such-branch" });
    expect(gone).toMatchObject({ code: 1, output: expect.stringContaining("reference-not-approved") });
  }, 120_000);

  it.each([
    ["plumbline.yaml is a symbolic link", ["rm desired-state/plumbline.yaml", "ln -s ../elsewhere.yaml desired-state/plumbline.yaml"]],
    ["its folder is a symbolic link", ["git mv desired-state moved", "ln -s moved desired-state"]],
    [
      "its folder is a submodule",
      ["git rm -q -r --cached desired-state", "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),desired-state"],
    ],
  ])(
    "read no reference when on the target branch %s",
    async (_, commands) => {
      addAddress();
      const proposed = checkout.git("rev-parse", "HEAD").trim();
      execFileSync("sh", ["-ec", [...commands, "git add -A .", "git commit -q -m hidden"].join("\n")], { cwd: checkout.folder });
      checkout.git("push", "-q", "origin", "HEAD:main");
      checkout.git("reset", "-q", "--hard", proposed);
      const result = await run({}, github(), { GITHUB_BASE_REF: "main" });
      expect(result).toMatchObject({ code: 1, output: expect.stringContaining("approved-unreadable") });
      expect(result.output).toContain("is not a regular file on the branch main");
    },
    120_000,
  );

  it("run no command of a folder that looks like a bare repository, in a subfolder of the checkout", async () => {
    const folder = join(checkout.folder, "desired-state");
    const marker = join(checkout.folder, "ran");
    for (const each of ["objects", "refs"]) mkdirSync(join(folder, each));
    writeFileSync(join(folder, "HEAD"), "ref: refs/heads/main\n");
    const settings = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ${marker} #"\n`;
    writeFileSync(join(folder, "config"), `${settings}[remote "origin"]\n\turl = "ext::sh -c touch% ${marker}"\n`);
    for (const head of [{}, { "github.event.pull_request.head.repo.full_name": "stranger/fork" }]) {
      const values = { ...github(), ...head };
      const inputs = { config: "plumbline.yaml" };
      const job = { GITHUB_ACTIONS: "true", RUNNER_TEMP: temporary, GITHUB_REPOSITORY: server.repository, GITHUB_BASE_REF: "main" };
      await runAction(folder, inputs, values, { ...secrets(), ...job, GITHUB_API_URL: server.api });
      expect(existsSync(marker), JSON.stringify(head)).toBe(false);
    }
  }, 120_000);

  it("plan a private repository without a token in a file, with ledger and target branch from a separate step", async () => {
    const login = `x-access-token:${server.token}`;
    const served = join(temporary, "served");
    const bare = join(served, server.repository);
    execFileSync("git", ["clone", "-q", "--mirror", checkout.git("remote", "get-url", "origin").trim(), bare]);
    const host = await serveGit(served, login);
    try {
      addAddress();
      checkout.git("remote", "set-url", "origin", `${host.url}/${server.repository}`);
      checkout.git("update-ref", "-d", "refs/remotes/origin/main");
      writeFileSync(join(temporary, "git-ca.pem"), host.caPem);
      const job = { GITHUB_SERVER_URL: host.url, GITHUB_BASE_REF: "main", GIT_SSL_CAINFO: join(temporary, "git-ca.pem") };
      const { output, ...result } = await run({}, github(), job);
      expect(result, output).toMatchObject({ code: 0, outputs: { mode: "plan", pending: "true" } });
      expect(output).toContain("new-1");
      expect(output).not.toMatch(/No ledger yet|cannot be read|cannot be fetched/);
      expect(checkout.git("remote", "get-url", "origin").trim()).toBe(`${host.url}/${server.repository}`);
      const secret = [server.token, Buffer.from(login).toString("base64")];
      for (const folder of [checkout.folder, temporary]) {
        const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
        for (const { parentPath, name } of files) {
          const text = readFileSync(join(parentPath, name), "latin1");
          for (const each of secret) expect(text.includes(each), join(parentPath, name)).toBe(false);
        }
      }
      host.asked.splice(0);
      await run({}, github("mallory/firewalls"), job);
      expect(host.asked).toEqual([]);
    } finally {
      await host.close();
    }
  }, 120_000);

  it("never execute an input as a script", async () => {
    const hostile = '"; touch "$HOME/ran" #$(touch ran)`touch ran`';
    await run({ config: hostile, targets: hostile, "comment-name": hostile });
    expect(checkout.git("status", "--porcelain", "--ignored").trim()).toBe("");
  }, 120_000);
});

describe("the job of ci/gitlab.yml", () => {
  beforeEach(() => open("gitlab"), 120_000);

  const run = (environment: Record<string, string> = {}) =>
    runGitlab(checkout.folder, {
      ...secrets(),
      PLUMBLINE_HOME: process.cwd(),
      GITLAB_CI: "true",
      CI_API_V4_URL: server.api,
      CI_PROJECT_PATH: server.repository,
      CI_MERGE_REQUEST_IID: "42",
      CI_MERGE_REQUEST_PROJECT_ID: "1",
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "1",
      CI_MERGE_REQUEST_EVENT_TYPE: "merged_result",
      GITLAB_TOKEN: server.token,
      ...environment,
    });

  it("plans, updates a note, writes a JUnit report, and succeeds with pending changes", async () => {
    addAddress();
    expect(await run()).toMatchObject({ code: 0 });
    expect(server.comments[0]?.body).toContain("_This is a plan of the merge result._");
    expect(readFileSync(join(checkout.folder, ".plumbline/plan.junit.xml"), "utf8")).toContain("<testsuite");
    expect((await run()).output).toContain("unchanged");
  }, 120_000);

  it("writes its reports in place of files of the commit", async () => {
    const script = join(temporary, "script");
    writeFileSync(script, "untouched");
    symlinkSync(temporary, join(checkout.folder, ".plumbline"));
    symlinkSync(script, join(temporary, "plan.md"));
    expect(await run()).toMatchObject({ code: 0 });
    expect(readFileSync(script, "utf8")).toBe("untouched");
    expect(lstatSync(join(checkout.folder, ".plumbline")).isDirectory()).toBe(true);
  }, 120_000);

  it("only validates a fork", async () => {
    addAddress();
    expect(await run({ CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "2" })).toMatchObject({
      code: 0,
      output: expect.stringContaining("validated without secrets"),
    });
    expect(server.requests).toEqual([]);
  }, 120_000);
});

describe("action.yml", () => {
  it("describes every input and uses none in a script", () => {
    const action = parse(readFileSync("action.yml", "utf8"));
    for (const input of Object.values<{ description?: string; default?: string }>(action.inputs))
      expect(input).toMatchObject({ description: expect.any(String), default: expect.any(String) });
    for (const { run } of action.runs.steps) expect(run ?? "").not.toContain("${{");
  });

  it("is documented, and written by init, with a checkout that stores no token in .git/config", () => {
    const files = [
      "docs/pull-requests.md",
      "src/cli/first-files.ts",
      ...readdirSync(".github/workflows").map((name) => `.github/workflows/${name}`),
    ];
    for (const file of files) {
      const steps = readFileSync(file, "utf8")
        .split(/uses: actions\/checkout@/)
        .slice(1);
      expect(steps.length, file).toBeGreaterThan(0);
      for (const step of steps) expect(step.split("- uses:")[0], file).toContain("persist-credentials: false");
    }
  });
});
