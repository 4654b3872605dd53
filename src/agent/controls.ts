import { dayOf } from "../core/day.js";
import { fleetOf } from "../desired/configuration/fleet.js";
import type { Fleet } from "../desired/fleet.js";
import { Problems } from "../desired/problems.js";
import { nearEnds, type RuleEnd } from "../desired/rule-end.js";
import type { ActiveRuns } from "../engine/active-runs.js";
import type { Allowance } from "../engine/allowance.js";
import type { Approval, Pause } from "../engine/pause.js";
import type { AgentNotices } from "./agent-notices.js";
import type { AgentClock } from "./clock.js";
import type { CommitFacts } from "./git/describe.js";
import type { AgentLoop } from "./loop.js";
import type { RolloutStatus } from "./rollouts.js";
import type { Source } from "./source.js";
import type { Unanswered } from "./visit-parts.js";

/** Settings of a target in `plumbline.yaml` that the page shows and filters by. */
export interface TargetFacts {
  readonly kind: string;
  readonly mode: string;
  readonly approve?: "none" | "required" | undefined;
  /** One label per line: `site=zurich`, and `group=core` for each group. */
  readonly labels?: string | undefined;
}

/** Actions and queries that the page and the commands send to a running agent. */
export interface AgentControls {
  /** Returns the targets of the active commit. */
  targets(): ReadonlyMap<string, TargetFacts>;
  /** Returns the active commit. */
  commit(): string | undefined;
  /** Returns undefined if the clone does not contain the commit. */
  describe(commit: string): Promise<CommitFacts | undefined>;
  /** Returns the folder of `plumbline.yaml` in the repository. Empty for the root. */
  folder(): string;
  /** Returns the absolute path of `plumbline.yaml` of the active commit. */
  configurationFile(): string;
  /**
   * Returns the repository in which a manual run would work: the local one that the agent follows, or the agent's clone. `login`: variables
   * with which git logs in at its remote.
   */
  repository(): { readonly folder: string; readonly login: Readonly<Record<string, string | undefined>> };
  pauses(): Promise<readonly Pause[]>;
  /** Returns undefined if no roll-out is unfinished. */
  rollout(): Promise<RolloutStatus | undefined>;
  /** Returns the targets that did not answer, with their next visits. */
  unanswered(): Promise<ReadonlyMap<string, Unanswered>>;
  /** Returns the rules of a target whose end date has passed or is near, the earliest first. */
  ruleEnds(target: string): readonly RuleEnd[];
  /** Returns the runs that had already started to write. @throws PlumblineError `notices-unwritable` */
  pause(pause: Pause): Promise<readonly ActiveRuns[]>;
  /** Returns false if there was no pause to end. */
  resume(target: string | undefined, by: string): Promise<boolean>;
  /** Approves a plan and starts to apply it. @throws PlumblineError `notices-unwritable` */
  approve(approval: Approval): Promise<void>;
  /** Overrides the refusal of a plan once and starts to apply it. @throws PlumblineError `notices-unwritable` */
  allow(allowance: Allowance): Promise<void>;
  visit(target: string, requested: "plan" | "reconcile"): Promise<void>;
}

export interface ControlParts {
  readonly agent: AgentLoop;
  readonly source: Source;
  readonly notices: AgentNotices;
  readonly clock: AgentClock;
  readonly repository: AgentControls["repository"];
  /** Returns the runs that work on these targets, and the targets for which this is unknown. */
  readonly atWork: (targets: readonly string[]) => Promise<readonly ActiveRuns[]>;
}

export function controlsOf({ agent, source, notices, clock, repository, atWork }: ControlParts): AgentControls {
  let known: { readonly commit: string; readonly targets: ReturnType<AgentControls["targets"]> } | undefined;
  return {
    targets: () => {
      const { inForce } = source;
      if (inForce === undefined) return new Map();
      if (known?.commit !== inForce.commit) {
        const fleet = fleetOf(inForce.parsed, new Problems());
        const facts = [...inForce.targets.keys()].map((name) => {
          const { kind = "", mode = "", approve } = inForce.configuration.targets.get(name) ?? {};
          return [name, { kind, mode, approve, labels: labelsOf(name, fleet) }] as const;
        });
        known = { commit: inForce.commit, targets: new Map(facts) };
      }
      return known.targets;
    },
    commit: () => source.inForce?.commit,
    describe: (commit) => source.describe(commit),
    folder: () => source.folder,
    configurationFile: () => source.file,
    repository,
    pauses: () => notices.pauses(clock.now()),
    rollout: () => agent.rollout(),
    unanswered: () => agent.unanswered(),
    ruleEnds: (target) => nearEnds(source.inForce?.targets.get(target)?.ruleEnds ?? [], dayOf(clock.now())),
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
    allow: async (allowance) => {
      await notices.allow(allowance);
      await agent.visitSoon(allowance.target, "plan");
    },
    visit: (target, requested) => agent.visitSoon(target, requested),
  };
}

function labelsOf(target: string, { targets, groups }: Pick<Fleet, "targets" | "groups">): string {
  const labels = [...(targets.get(target)?.labels ?? [])].map(([label, value]) => `${label}=${value}`);
  const memberOf = [...groups].filter(([, names]) => names.has(target)).map(([group]) => `group=${group}`);
  return [...labels, ...memberOf].join("\n");
}
