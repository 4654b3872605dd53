import { sleep } from "../core/clock.js";
import type { Context } from "./context.js";
import { runCli } from "./program.js";

export interface AgentStory {
  readonly context: Context;
  /** Changes the firewall behind the agent's back. */
  readonly openRule: () => void;
  readonly say: (text: string) => void;
  readonly stop: AbortSignal;
}

const FIRST_CHANGE = 8_000;
const NEXT_CHANGE = 45_000;

/** An agent beside a repository and a lab firewall that somebody else changes now and then; until it is stopped. */
export async function tellOfAgent({ context, openRule, say, stop }: AgentStory): Promise<void> {
  const quiet: Context = { ...context, stdout: { write: () => true } };
  say("A data centre of lab servers, brought to what the repository wants.");
  for (const line of ["adopt edge", "reconcile"]) {
    const code = await runCli(line.split(" "), quiet);
    if (stop.aborted) return;
    if (code !== 0) throw new Error(`plumbline ${line} failed`);
  }
  say("The agent looks every 5 seconds here; 15 minutes is usual. Another administrator opens a rule now and then. Ctrl-C ends it.");
  say(`$ plumbline agent --drift-interval 5s     (state in ${context.environment.PLUMBLINE_STATE_DIR})`);
  const agent = runCli(["agent", "--drift-interval", "5s", "--port", "0", "--log-level", "error"], { ...context, stderr: process.stderr });
  const ended = new AbortController();
  void agent.finally(() => ended.abort());
  const changes = changeNowAndThen(openRule, say, AbortSignal.any([stop, ended.signal]));
  const code = await agent;
  await changes;
  if (code !== 0) throw new Error(`plumbline agent ended with ${code}`);
  say("What it remembers:");
  await runCli(["history", "--limit", "12"], { ...context, stop: new AbortController().signal });
}

async function changeNowAndThen(openRule: () => void, say: (text: string) => void, stop: AbortSignal): Promise<void> {
  for (let delay = FIRST_CHANGE; ; delay = NEXT_CHANGE) {
    await sleep(delay, stop);
    if (stop.aborted) return;
    say("Somebody opens a rule on the firewall, and commits.");
    openRule();
  }
}
