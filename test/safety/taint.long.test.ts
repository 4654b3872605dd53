import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { startVerdictLab } from "../../src/lab/lab.js";
import { formats } from "../../src/report/renderers.js";
import { afterTest } from "../after-test.js";
import { startPostgres } from "../agent/store/postgres.js";
import { RecordingServer } from "../pull-request/recording-server.js";
import { Canaries } from "./taint/canaries.js";
import { editorAsks } from "./taint/editor.js";
import { ADDRESS, TaintWorld } from "./taint/world.js";

// A different secret in every place that can have one. All output, files, storage and requests are searched for them.

const LONG = 300_000;

const REVOKE = "revoke edge --from trust --to trust --service tcp/22 --application any --reason taint".split(" ");

/** Commands that need no part of the story. */
const OTHERS = [
  ["reach", "edge", "--from", "trust", "--to", "trust"],
  ["lint", "edge"],
  [
    "allow",
    "edge",
    ..."--from 10.9.8.7 --from-zone trust --to 10.9.8.6 --to-zone trust --service tcp/22 --application ssh --reason taint".split(" "),
  ],
  REVOKE,
  ["audit"],
  ["doctor", "edge"],
  ["doctor", "fabric"],
  ["plan", "--target", "fabric"],
  ["approve", "edge", "0".repeat(64)],
  ["rollback", "HEAD"],
  ["pause", "cloud", "--reason", "taint", "--for", "1h"],
  ["resume", "cloud"],
  ["completion", "bash"],
  ["pr", "comment", "--name", "taint", "--file", "docs/edge.yaml", "--pr", "42"],
] as const;

/** The role for Vault, if there is no token. */
function byRole(world: TaintWorld): Record<string, string> {
  return { VAULT_TOKEN: "", VAULT_ROLE_ID: "plumbline", VAULT_SECRET_ID: world.environment.VAULT_SECRET_ID ?? "" };
}

/** Places in which canaries were found, each with its source. */
function findings(world: TaintWorld, canaries: Canaries): string[] {
  const all = [...world.said, ...world.leftBehind()];
  return all.flatMap(([where, said]) => canaries.in(said).map((place) => `${place} in ${where}`));
}

async function agentRuns(world: TaintWorld): Promise<void> {
  const stop = new AbortController();
  const name = "plumbline agent";
  const running = world.run(["agent"], { stop: stop.signal });
  const words = (): string => world.said.get(name) ?? "";
  const until = async (fits: () => boolean): Promise<void> => {
    while (!fits()) await new Promise((later) => setTimeout(later, 50));
  };
  await until(() => /metrics and webhook at http/.test(words()) && / edge /.test(words()));
  const url = /metrics and webhook at (\S+),/.exec(words())?.[1] ?? "";
  const token = world.environment.PAGE ?? "";
  await until(() => (world.said.get("what was sent elsewhere") ?? "").length > 0);
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const reply = await fetch(`${url}${path}`, { ...init, headers: { origin: url, "content-type": "application/json", ...init.headers } });
    const text = await reply.text();
    // Credentials that allow a later login may be stored. They are not secrets of targets.
    world.note(`page ${path}`, `${reply.status} ${JSON.stringify([...reply.headers])} ${text}`);
    return new Response(text, { status: reply.status, headers: reply.headers });
  };
  const targets = ["edge", "cloud"].map((name) => `/api/target?name=${name}`);
  for (const path of [
    "/",
    "/metrics",
    "/healthz",
    "/readyz",
    "/api/fleet",
    ...targets,
    "/api/history",
    "/api/audit",
    "/api/session",
    "/none",
  ])
    await ask(path);
  const signIn = (said: string) => ask("/api/login", { method: "POST", body: JSON.stringify({ token: said, name: "Ann" }) });
  expect((await signIn(`${token}x`)).status).toBe(401);
  const session = await signIn(token);
  expect(session.status).toBe(200);
  const cookie = (session.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  const { csrf } = (await (await ask("/api/session", { headers: { cookie } })).json()) as { csrf: string };
  for (const action of ["plan", "reconcile", "pause"])
    await ask(`/api/${action}`, {
      method: "POST",
      headers: { cookie, "x-csrf-token": csrf },
      body: JSON.stringify({ target: "edge", reason: "taint" }),
    });
  stop.abort();
  world.note("agent ended", String(await running));
}

it(
  "no output of any kind contains a secret of any place",
  async () => {
    const canaries = new Canaries();
    const world = await TaintWorld.start(canaries);
    const allowed = { PLUMBLINE_ALLOW_EXEC: "1" };
    const reports = join(world, "reports");
    // Before any value of a reference is on the firewall: a new run cannot know which ones were.
    const login = { PLUMBLINE_USER: "netops", PLUMBLINE_PASSWORD: world.environment.FW_PASSWORD ?? "" };
    expect(await world.run(["init", join(world, "begun"), "--url", world.firewallUrl], { environment: login })).toBe(0);
    for (const format of formats) await world.run(["plan", "--format", format], { environment: allowed });
    expect(await world.run(["validate"])).toBe(0);
    expect(await world.run(["plan", "--out", `${reports}-plan.json`, "--target", "edge"], { environment: allowed })).toBe(2);
    expect(await world.run(["apply", `${reports}-plan.json`], { environment: allowed })).toBe(0);
    world.meddle();
    for (const format of formats)
      await world.run(["drift", "--format", format, "--report", `${format}=${reports}.${format}`], { environment: allowed });
    const host = await RecordingServer.start("gitea");
    host.token = canaries.of("the code host's token");
    afterTest(() => host.close());
    const codeHost = { PLUMBLINE_API_URL: host.api, PLUMBLINE_REPOSITORY: host.repository };
    expect(await world.run(["drift", "--propose"], { environment: { ...allowed, ...codeHost } })).toBe(2);
    expect(host.pullRequests.length).toBeGreaterThan(0);
    for (const format of ["yaml", "xml", "json"]) {
      for (const view of ["desired", "running", "live"])
        await world.run(["get", ADDRESS, "--target", "edge", "--format", format, "--view", view], { environment: allowed });
    }
    await world.run(["explain", `${ADDRESS}/entry[@name='a']/description`, "--target", "edge"], { environment: allowed });
    await world.run(["status"], { environment: allowed });
    await world.run(["logs", "edge", "--type", "config"], { environment: allowed });
    await world.run(["import", "edge", "--out", `${reports}-import`], { environment: allowed });
    await world.run(["adopt", "edge"], { environment: allowed });
    await world.run(["ledger", "list"]);
    await world.run(["ledger", "rename", "edge", "berlin"]);
    await world.run(["schema", "--out", `${reports}-schemas`]);
    await world.run(["backup", "--out", `${reports}-backup`]);
    await world.run(["fmt", "--check"]);
    await world.run(["fmt"]);
    await editorAsks(world);
    expect(world.said.get("plumbline lsp")).toContain("(owner ");
    await world.run(["report", "--html", `${reports}-html`], { environment: allowed });
    const verdicts = await startVerdictLab({ keys: [canaries.of("the verdict service's key")] });
    afterTest(() => verdicts.close());
    writeFileSync(`${reports}-ca.pem`, verdicts.caPem);
    const service = { PLUMBLINE_VERDICT_URL: verdicts.url, PLUMBLINE_VERDICT_CA: `${reports}-ca.pem` };
    await world.run(["verdict", "0".repeat(64)], { environment: service });
    await world.run(["reconcile", "--target", "edge"]);
    world.git("commit", "-q", "-a", "-m", "formatted");
    for (const words of OTHERS) await world.run(words, { environment: { ...allowed, ...codeHost } });
    await world.run(["plan", "--target", "edge"], { environment: { ...allowed, ...byRole(world) } });
    world.want("10.0.0.7", "    d: { ip-netmask: 10.0.0.4, description: plain }");
    await agentRuns(world);
    await world.run(["history"]);
    await world.run(["history", "--format", "json", "--all"]);
    // An error names its place, never its value.
    const bad = { FW_PASSWORD: canaries.of("a wrong password") };
    await world.run(["plan"], { environment: { ...allowed, ...bad } });
    await world.run(["plan"], {
      environment: { ...allowed },
      now: () => {
        throw new Error("a fault that nobody foresaw");
      },
    });
    for (const setting of ["postgres://me:${env:DATABASE}@127.0.0.1:1/plumbline", "${env:DATABASE}"]) {
      world.configure(`store: "${setting}"`);
      await world.run(["history"]);
      await world.run(["plan", "--format", "json"], { environment: allowed });
    }
    world.configure(`store: "postgres://me:${canaries.of("plain text where a reference belongs")}@127.0.0.1/plumbline"`);
    expect(await world.run(["validate"])).toBe(1);
    world.configure("");
    const postgres = await startPostgres();
    try {
      const url = await postgres.createDatabase();
      canaries.hold("the password of a store that is there", new URL(url).password);
      world.configure('store: "${env:STORE}"');
      for (const words of [["agent", "--once"], ["history", "--format", "json"], ["status"], ["plan"]])
        await world.run(words, { environment: { ...allowed, STORE: url } });
      expect(world.said.get("plumbline agent --once")).toContain("edge");
    } finally {
      await postgres.stop();
    }
    world.configure("");
    await world.run(["--help"]);
    const commands = [...(world.said.get("plumbline --help") ?? "").matchAll(/^ {2}([a-z]+)(?= )/gm)].map(([, name = ""]) => name);
    const unheard = commands.filter((name) => ![...world.said.keys()].some((words) => words.split(" ")[1] === name));
    // A command that always failed early printed nothing that could contain a secret.
    const failed = commands.filter((name) => !world.succeeded.has(name) && !unheard.includes(name));
    // The documents have no rules that could be edited. The refusal shows that the target was read.
    expect(world.said.get(`plumbline ${REVOKE.join(" ")}`)).toContain("because");
    expect(failed.sort(), world.codes.join("\n")).toEqual(["revoke"]);
    // These serve labs and print commands.
    expect(unheard.sort()).toEqual(["help", "lab"]);
    expect(commands.length).toBeGreaterThan(20);
    // The run succeeded: all expected output is there, with labels instead of secrets.
    expect(world.said.get("plumbline plan --format text")).toMatch(/\$\{env:DOC\}[\s\S]*\bcloud\b[\s\S]*networks/);
    expect(world.said.get("plumbline status")).toMatch(/\bfabric\b/);
    expect(world.said.get("asked of Vault")).toContain("/v1/auth/approle/login");
    expect(world.said.get("agent ended")).toBe("0");
    expect(world.said.get("what was sent elsewhere")).toContain("resourceSpans");
    expect(world.said.size).toBeGreaterThan(40);
    expect(canaries.places.length).toBeGreaterThan(26);
    expect(findings(world, canaries)).toEqual([]);
  },
  LONG,
);

it("a leaked secret is detected, in any encoding", async () => {
  const canaries = new Canaries();
  const secret = canaries.of("somewhere");
  const basic = (user: string) => Buffer.from(`${user}:${secret}`).toString("base64");
  for (const said of [
    secret,
    `x${secret}x`,
    secret.toUpperCase(),
    basic("u"),
    basic("us"),
    basic("usr"),
    Buffer.from(secret).toString("hex"),
  ]) {
    expect(canaries.in(`… ${said} …`), said).toEqual(["somewhere"]);
    expect(canaries.in(Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from(said)])), said).toEqual(["somewhere"]);
  }
  expect(canaries.in("nothing of the kind")).toEqual([]);
});

it(
  "a world with a leak is detected",
  async () => {
    const canaries = new Canaries();
    const world = await TaintWorld.start(canaries);
    // Read as plain text: everyone can see the content of git.
    world.want("10.0.0.1", `    d: { ip-netmask: 10.0.0.4, description: ${canaries.of("a leaf of a document")} }`);
    await world.run(["plan", "--target", "edge"], { environment: { PLUMBLINE_ALLOW_EXEC: "1" } });
    expect(findings(world, canaries)).toContainEqual("a leaf of a document in plumbline plan --target edge");
    expect(findings(world, canaries).some((each) => each.startsWith("a leaf of a document in repository blob"))).toBe(true);
  },
  LONG,
);

function join(world: TaintWorld, name: string): string {
  return `${world.folder}/work/${name}`;
}
