import { execFile } from "node:child_process";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Context } from "./cli/context.js";
import { runCli } from "./cli/program.js";
import { type RunningLab, startLab } from "./lab.js";
import { tellOfAgent } from "./quickstart-agent.js";
import { choosePaint } from "./report/style.js";

const EXAMPLE = fileURLToPath(new URL("../desired-state", import.meta.url));
const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";
const paint = choosePaint(process.stdout, process.env);
const git = promisify(execFile);

/** A person's shell in the checkout. */
function contextIn(folder: string, lab: RunningLab, stop: AbortSignal): Context {
  return {
    environment: {
      ...process.env,
      PLUMBLINE_STATE_DIR: join(folder, "state"),
      PLUMBLINE_TARGET_EDGE_URL: lab.device.url,
      PLUMBLINE_TARGET_EDGE_CA: join(folder, "ca.pem"),
      PLUMBLINE_USER: "plumbline",
      PLUMBLINE_PASSWORD: "plumbline",
    },
    folder,
    stdout: process.stdout,
    stderr: { write: () => true },
    now: () => new Date(),
    stop,
  };
}

/** The whole story on a lab firewall in this process: plan, apply, somebody else's change, drift, heal. */
async function tell(folder: string, lab: RunningLab, stop: AbortSignal): Promise<void> {
  const context = contextIn(folder, lab, stop);
  const run = async (line: string, expected: number): Promise<void> => {
    stop.throwIfAborted();
    process.stdout.write(`${paint("cyan", `$ plumbline ${line}`)}\n`);
    const code = await runCli(line.split(" "), context);
    if (code !== expected) throw new Error(`plumbline ${line} ended with ${code}, not ${expected}`);
  };

  say(`A lab firewall answers at ${lab.device.url}, with TLS and candidate, commit, locks and jobs as a device has them.`);
  say("Its rulebase was never ours: we take it over once, which writes a ledger beside the git history and nothing else.");
  await run("adopt edge", 0);
  say("What would change? Nothing is written yet: exit 2 means that work is pending.");
  await run("plan --out plan.json", 2);
  say("Apply exactly that plan: one lock, one request, one commit, read back.");
  await run("apply plan.json", 0);
  await run("plan", 0);
  say("At 3 a.m. another administrator opens a rule, and commits.");
  openRule(lab);
  await run("drift", 2);
  say("The repository says otherwise.");
  await run("reconcile", 0);
  await run("drift", 0);
  say("Your own device: plumbline import --xml running-config.xml --out my-network, then plumbline lab --from running-config.xml.");
}

/** What another administrator does at 3 a.m. */
function openRule(lab: RunningLab): void {
  const act = (params: Readonly<Record<string, string>>) => lab.device.act("mkovacs", params);
  act({
    type: "config",
    action: "edit",
    xpath: `${RULES}/entry[@name='web-to-db']/source`,
    element: "<source><member>any</member></source>",
  });
  act({
    type: "config",
    action: "set",
    xpath: `${RULES}/entry[@name='web-to-db']`,
    element: "<description>temporary, ticket 4711</description>",
  });
  act({ type: "commit", cmd: "<commit><description>ticket 4711</description></commit>" });
}

function say(text: string): void {
  process.stdout.write(`\n${paint("dim", `# ${text}`)}\n`);
}

async function main(stop: AbortSignal): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-quickstart-"));
  const lab = await startLab({ devices: [{ name: "edge", configFile: join(EXAMPLE, "lab", "edge.xml") }] });
  try {
    await cp(EXAMPLE, join(folder, "desired-state"), { recursive: true });
    await writeFile(join(folder, "ca.pem"), lab.caPem);
    await git("git", ["init", "-q", folder]);
    await git("git", ["-C", folder, "add", "desired-state"]);
    await git("git", ["-C", folder, "-c", "user.name=You", "-c", "user.email=you@example.net", "commit", "-q", "-m", "What we want"]);
    if (process.argv[2] === "agent") await tellOfAgent({ context: contextIn(folder, lab, stop), openRule: () => openRule(lab), say, stop });
    else await tell(folder, lab, stop);
  } finally {
    await lab.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const interrupt = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => interrupt.abort(new Error("stopped")));
try {
  await main(interrupt.signal);
} catch (error) {
  process.stderr.write(`quickstart: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
