import { sleep } from "../core/clock.js";
import type { Context } from "./context.js";
import { runCli } from "./program.js";
import { type Steps, wrappingOutput } from "./quickstart-output.js";

interface AgentDemo {
  readonly context: Context;
  readonly steps: Steps;
  /** Changes and commits a rule on the firewall as another administrator. */
  readonly openRule: () => void;
  /** Whether the agent keeps running after the demo, until the user stops it. */
  readonly staysOpen: boolean;
}

/** Time from the start of the agent to the manual change. */
const BEFORE_CHANGE = 6_000;
/** Maximum number of checks, half a second apart, for the repair. */
const MAX_CHECKS = 60;
/** Time for the agent to print the other changes that it reverted. */
const AFTER_REPAIR = 2_000;

/** Runs an agent on lab servers while an administrator changes a firewall rule. */
export async function runAgentDemo({ context, steps, openRule, staysOpen }: AgentDemo): Promise<void> {
  const quiet: Context = { ...context, stdout: { write: () => true } };
  steps.heading("1. Setup: apply the desired state to a simulated firewall, OpenStack and Contrail.");
  for (const line of ["adopt edge", "reconcile --yes"]) {
    const code = await runCli(line.split(" "), quiet);
    if (context.stop.aborted) return;
    if (code !== 0) throw new Error(`plumbline ${line} failed`);
  }
  await steps.run("plan --quiet", 0);
  steps.heading("2. Agent: check for drift every 5 seconds. The default is 15 minutes.");
  const line = "agent --drift-interval 5s --port 0 --log-level error";
  steps.command(line);
  let isReverted = false;
  const end = new AbortController();
  const stop = AbortSignal.any([context.stop, end.signal]);
  const stdout = wrappingOutput(context.stdout, (text) => {
    isReverted ||= text.includes("healed: ");
  });
  const agent = runCli(line.split(" "), { ...context, stdout, stderr: stdout, stop });
  const change = (async () => {
    await sleep(BEFORE_CHANGE, stop);
    if (stop.aborted) return;
    steps.heading("3. Drift: an administrator opens a rule on the firewall. The agent reports and reverts it.");
    openRule();
    for (let checks = 0; !stop.aborted && !isReverted && checks < MAX_CHECKS; checks++) await sleep(500, stop);
    await sleep(AFTER_REPAIR, stop);
    if (staysOpen && !stop.aborted) steps.heading("The agent keeps running. Open its page at the address above, or press Ctrl-C to stop.");
    else end.abort();
  })();
  const code = await agent;
  end.abort();
  await change;
  if (code !== 0) throw new Error(`plumbline agent ended with ${code}`);
  if (!isReverted && !context.stop.aborted) throw new Error("the agent did not revert the change");
  steps.heading("4. History: the agent recorded the change and the repair.");
  const history = "history edge --kind drift --kind heal --limit 4";
  steps.command(history);
  await runCli(history.split(" "), { ...context, stdout, stop: new AbortController().signal });
}
