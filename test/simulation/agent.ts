import type { AgentClock } from "../../src/agent/clock.js";
import type { AgentEvent } from "../../src/agent/events.js";
import { loadHere } from "../../src/agent/loading/loader.js";
import { openAgent } from "../../src/agent/open.js";
import { PlumblineError } from "../../src/core/errors.js";
import { readAgent } from "../../src/desired/configuration/agent.js";
import { SECOND_AGENT } from "./memory-store.js";
import { ROOT } from "./models/file-system.js";
import type { Process } from "./scheduler.js";
import { RELEASE, REMOTE, type World } from "./world.js";

/** Starts the agent if it does not run. */
export function startAgent(world: World): void {
  if (world.agent?.isAlive === true) return;
  const process = world.begin("agent", "agents");
  world.agent = process;
  void runAgent(world, process, "main").catch((error: unknown) => world.unforeseen(process, error));
}

/** Starts the second agent, which follows another branch and has its own store. */
export function startSecondAgent(world: World): void {
  if (world.secondAgent?.isAlive === true) return;
  const process = world.begin(SECOND_AGENT, SECOND_AGENT);
  world.secondAgent = process;
  void runAgent(world, process, RELEASE).catch((error: unknown) => world.unforeseen(process, error));
}

async function runAgent(world: World, process: Process, branch: string): Promise<void> {
  const clock = clockOf(world, process);
  const { signal: stop } = new AbortController();
  const store = world.memory.of(process);
  await store.claim({ host: process.host, pid: process.pid, started: clock.now(), version: "0" }, clock.now());
  const pass = world.passOptions(process, process === world.secondAgent ? SECOND_AGENT : "agent");
  const { agent, events } = await openAgent({
    settings: readAgent({ source: { url: REMOTE, branch }, http: { port: 0 } }, ROOT),
    fixed: {},
    configurationFile: undefined,
    store,
    pass,
    write: world.writeOptions(),
    writers: world.writers,
    load: loadHere,
    clock,
    stop,
    onFault: (error) => world.unforeseen(process, error),
  });
  events.listen(process === world.secondAgent ? secondListener(world) : listener(world));
  await agent.run(stop);
}

function secondListener(world: World): (event: AgentEvent) => void {
  let began = 0;
  return (event) => {
    const at = world.scheduler.now;
    if (event.type === "pass-started") began = at;
    if (event.type !== "pass-ended") return;
    const message = codesOf(event.outcome?.error);
    const warnings = event.outcome?.warnings ?? [];
    const { type: what, commit, result } = event;
    world.saidBySecond.push({ process: SECOND_AGENT, at, what, began, commit, result, message, warnings });
    world.note(`${SECOND_AGENT}: ${what} ${result} ${message}`);
  };
}

function listener(world: World): (event: AgentEvent) => void {
  let began = 0;
  return (event) => {
    const at = world.scheduler.now;
    switch (event.type) {
      case "pass-started":
        began = at;
        break;
      case "pass-ended":
        world.say({
          at,
          what: event.type,
          began,
          commit: event.commit,
          result: event.result,
          message: [codesOf(event.outcome?.error), ...(event.outcome?.plan?.refusals ?? []).map(({ guard }) => guard)].join(" "),
          warnings: event.outcome?.warnings ?? [],
        });
        break;
      case "drift-appeared":
        world.tell(event.item.change.path);
        break;
      case "held":
        world.say({ at, what: event.type, result: event.reason, message: event.message });
        break;
      case "released":
        world.say({ at, what: event.type, message: event.reason });
        break;
      case "apply-failed":
      case "plan-refused":
        world.say({ at, what: event.type, result: event.error.code, message: event.error.message });
        break;
      case "source-failed":
      case "commit-refused":
        world.say({ at, what: event.type, result: event.error.code, message: event.error.message });
        break;
      case "commit-broken":
        world.say({ at, what: event.type, message: event.errors.map(({ message }) => message).join("; ") });
        break;
      default:
    }
  };
}

/** The code of an error and the codes of its causes. */
function codesOf(error: unknown): string {
  return error instanceof PlumblineError ? `${error.code} ${codesOf(error.cause)}`.trimEnd() : "";
}

function clockOf(world: World, process: Process): AgentClock {
  const { scheduler, chance } = world;
  const machine = world.machineOf(process, "agent");
  return {
    now: () => machine.now(),
    monotonic: () => scheduler.now,
    random: () => chance.next(),
    sleep: async (milliseconds, stop) => {
      const called = new Promise<void>((wake) => {
        if (stop.aborted) wake();
        else stop.addEventListener("abort", () => wake(), { once: true });
      });
      await Promise.race([scheduler.wait(milliseconds), called]);
    },
  };
}
