import type { Approval, Pause } from "../engine/pause.js";
import type { AtWork } from "../engine/runs-at-work.js";
import type { AgentNotices } from "./agent-notices.js";
import type { AgentClock } from "./clock.js";
import type { AgentLoop } from "./loop.js";
import type { Source } from "./source.js";

/** What a person may ask of a running agent. */
export interface AgentControls {
  /** Of the commit in force. */
  targets(): ReadonlyMap<string, { readonly kind: string; readonly mode: string; readonly approve: "none" | "required" | undefined }>;
  /** The commit in force. */
  commit(): string | undefined;
  /** Absolute path of `plumbline.yaml` of the commit in force. */
  configurationFile(): string;
  pauses(): Promise<readonly Pause[]>;
  /** Gives what is known of runs that had begun to write before. @throws PlumblineError `notices-unwritable` */
  pause(pause: Pause): Promise<readonly AtWork[]>;
  /** False where there was no pause that this can end. */
  resume(target: string | undefined, by: string): Promise<boolean>;
  /** Lets a plan be applied, and goes on with it. @throws PlumblineError `notices-unwritable` */
  approve(approval: Approval): Promise<void>;
  visit(target: string, wish: "plan" | "reconcile"): Promise<void>;
}

export interface ControlParts {
  readonly agent: AgentLoop;
  readonly source: Source;
  readonly notices: AgentNotices;
  readonly clock: AgentClock;
  /** Runs at work on these targets, and those of which nobody can tell. */
  readonly atWork: (targets: readonly string[]) => Promise<readonly AtWork[]>;
}

export function controlsOf({ agent, source, notices, clock, atWork }: ControlParts): AgentControls {
  let known: { readonly commit: string; readonly targets: ReturnType<AgentControls["targets"]> } | undefined;
  return {
    targets: () => {
      const { inForce } = source;
      if (inForce === undefined) return new Map();
      if (known?.commit !== inForce.commit) {
        const facts = [...inForce.targets.keys()].map((name) => {
          const { kind = "", mode = "", approve } = inForce.configuration.targets.get(name) ?? {};
          return [name, { kind, mode, approve }] as const;
        });
        known = { commit: inForce.commit, targets: new Map(facts) };
      }
      return known.targets;
    },
    commit: () => source.inForce?.commit,
    configurationFile: () => source.file,
    pauses: () => notices.pauses(clock.now()),
    pause: async (pause) => {
      await notices.pause(pause);
      agent.pausesSoon();
      return await atWork(pause.target === undefined ? [...(source.inForce?.targets.keys() ?? [])] : [pause.target]);
    },
    resume: async (target, by) => {
      const found = await notices.resume(target, by, clock.now());
      agent.pausesSoon();
      return found;
    },
    approve: async (approval) => {
      await notices.approve(approval);
      await agent.visitSoon(approval.target, "plan");
    },
    visit: (target, wish) => agent.visitSoon(target, wish),
  };
}
