import type { CommitIndex } from "./commit-index.js";
import type { AgentEventType, EventStream, Listener } from "./events.js";
import type { Recorder } from "./recorder.js";
import { Rollout, type WaveResult } from "./rollout.js";
import type { Store } from "./store/store.js";
import { wavesOfCommit } from "./waves.js";

const CHANNEL = "rollout";

/** State of a roll-out in the store, for a restarted agent. */
export interface RememberedRollout {
  readonly commit: string;
  /** Milliseconds since 1970. */
  readonly began: number;
  /** Targets that the commit touches, including those that are not written. Undefined if an older version stored the roll-out. */
  readonly targets: readonly string[] | undefined;
  readonly isOver: boolean;
}

/** Progress of the roll-out of a commit in waves. */
export interface RolloutStatus {
  readonly commit: string;
  /** Number of the current wave, from 1. */
  readonly wave: number;
  readonly of: number;
  /** Targets of this wave that failed. They block the later waves. */
  readonly failed: readonly string[];
  /** Other targets of this wave that do not have the commit yet. */
  readonly open: readonly string[];
  /** Targets of later waves. */
  readonly left: readonly string[];
}

/** Returns whether failed targets block later waves. */
export function isStopped({ failed, left }: RolloutStatus): boolean {
  return failed.length > 0 && left.length > 0;
}

/**
 * Returns whether a target waits for a later wave, given the commit of its last comparison. The result of an earlier commit does not
 * count as in sync then.
 */
export function waitingIn(rollout: RolloutStatus | undefined): (target: string, compared: unknown) => boolean {
  const left = new Set(rollout?.left);
  return (target, compared) => left.has(target) && compared !== rollout?.commit;
}

/** Events after which the status of a roll-out may have changed. */
const CHANGES: ReadonlySet<AgentEventType> = new Set(["commit-in-force", "rollout-wave", "rollout-stopped", "rollout-ended"]);
const STATUS_CHANNEL = "rollout-status";

/** Stores the status of the roll-out for commands, which run in other processes. */
export function storeStatus(recorder: Recorder, subject: string, status: () => Promise<RolloutStatus | undefined>): Listener {
  return async (event) => {
    if (!CHANGES.has(event.type)) return;
    const state = JSON.stringify((await status()) ?? null);
    await recorder.write((store) => store.notifications.sent({ channel: STATUS_CHANNEL, subject, state, at: event.time }), undefined);
  };
}

/** Returns the roll-outs that agents of the store have not finished. */
export async function storedStatuses({ notifications }: Pick<Store, "notifications">): Promise<readonly RolloutStatus[]> {
  const rows = await notifications.all(STATUS_CHANNEL);
  return rows.map(({ state }) => JSON.parse(state) as RolloutStatus | null).filter((status) => status !== null);
}

interface Begun {
  readonly rollout: Rollout;
  readonly targets: ReadonlySet<string>;
  readonly at: number;
}

/** Roll-out of the active commit. It is stored, so that a restarted agent continues it. */
export class Rollouts {
  readonly #events: EventStream;
  readonly #recorder: Recorder;
  readonly #source: string;
  #begun: Begun | undefined;

  constructor(events: EventStream, recorder: Recorder, source: string) {
    this.#events = events;
    this.#recorder = recorder;
    this.#source = source;
  }

  hasTurn(target: string): boolean {
    return this.#begun?.rollout.hasTurn(target) ?? true;
  }

  /** Returns the number of targets that the commit writes in parallel, including this one. Undefined after the first wave. */
  atOnce(target: string): number | undefined {
    return this.#begun?.rollout.atOnce(target);
  }

  /** Targets that the roll-out has not reached yet. */
  get unfinished(): readonly string[] {
    return this.#begun?.rollout.unfinished ?? [];
  }

  /** Undefined if no roll-out is unfinished. */
  get status(): RolloutStatus | undefined {
    const rollout = this.#begun?.rollout;
    if (rollout === undefined || rollout.isOver) return undefined;
    const { commit, number, waves, failed, open, left } = rollout;
    return { commit, wave: number, of: waves.length, failed, open: open.filter((target) => !failed.includes(target)), left };
  }

  /** Returns the stored roll-out of `commit`. Undefined if there is none. */
  async remembered(commit: string): Promise<RememberedRollout | undefined> {
    const row = await this.#recorder.read((store) => store.notifications.last(CHANNEL, this.#source), undefined);
    if (row === undefined) return undefined;
    const known = readRollout(row.state);
    return known.commit === commit ? { began: row.at, ...known } : undefined;
  }

  /** Begins the roll-out of a commit in waves and returns the first wave. `at` is its start time. `silent` do not count for the limit. */
  begin(index: CommitIndex, targets: ReadonlySet<string>, at: number, silent?: ReadonlySet<string>): readonly string[] {
    const waves = wavesOfCommit(index, targets);
    this.#begun = { rollout: new Rollout(index.commit, waves, index.configuration.guards.targets, silent), targets, at };
    return waves[0] ?? [];
  }

  /** Stores and reports the roll-out. */
  async report(): Promise<void> {
    await this.#remember();
    if (this.#begun?.rollout.isOver === false) await this.#reportWave();
  }

  /** Records the result of a target. Returns the targets that may be written now. */
  async ended(target: string, result: WaveResult): Promise<readonly string[]> {
    const rollout = this.#begun?.rollout;
    if (rollout === undefined || rollout.isOver) return [];
    const { next, stopped, repeated = [] } = rollout.ended(target, result);
    if (stopped) {
      await this.#events.emit({ type: "rollout-stopped", commit: rollout.commit, failed: target, left: rollout.left });
    }
    if (rollout.isOver) await this.#end(rollout);
    else if (next.length > 0) await this.#reportWave();
    return [...next, ...repeated];
  }

  async #reportWave(): Promise<void> {
    const rollout = this.#begun?.rollout;
    if (rollout === undefined || rollout.waves.length < 2) return;
    const { commit, number, waves } = rollout;
    await this.#events.emit({ type: "rollout-wave", commit, wave: number, of: waves.length, targets: waves[number - 1] ?? [] });
  }

  async #end({ commit, waves }: Rollout): Promise<void> {
    await this.#remember();
    await this.#events.emit({ type: "rollout-ended", commit, targets: waves.flat().length });
  }

  async #remember(): Promise<void> {
    if (this.#begun === undefined) return;
    const { rollout, targets, at } = this.#begun;
    const state = { commit: rollout.commit, targets: [...targets], isOver: rollout.isOver };
    await this.#recorder.write(
      (store) => store.notifications.sent({ channel: CHANNEL, subject: this.#source, state: JSON.stringify(state), at }),
      undefined,
    );
  }
}

/** Older versions stored only the commit, when the roll-out was complete. */
function readRollout(text: string): Omit<RememberedRollout, "began"> {
  if (!text.startsWith("{")) return { commit: text, targets: undefined, isOver: true };
  const { commit, targets, isOver } = JSON.parse(text) as Omit<RememberedRollout, "began">;
  return { commit, targets, isOver };
}
