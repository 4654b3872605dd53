import type { CommitIndex } from "./commit-index.js";
import type { EventStream } from "./events.js";
import type { Recorder } from "./record.js";
import { Rollout, type WaveResult } from "./rollout.js";
import { wavesOfCommit } from "./waves.js";

const CHANNEL = "rollout";

/** A roll-out as an agent that is started again finds it. */
export interface RememberedRollout {
  readonly commit: string;
  /** Milliseconds since 1970. */
  readonly began: number;
  /** Those that the commit touched, written or not; unknown where a version before this one has noted it. */
  readonly targets: readonly string[] | undefined;
  readonly isOver: boolean;
}

interface Begun {
  readonly rollout: Rollout;
  readonly targets: ReadonlySet<string>;
  readonly at: number;
}

/** The roll-out of the commit in force, remembered until it is over, also by an agent that is started again. */
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

  /** Targets that the commit is written to at once, this one among them; undefined where others had it before. */
  atOnce(target: string): number | undefined {
    return this.#begun?.rollout.atOnce(target);
  }

  /** Targets that a commit before has not reached yet. */
  get unfinished(): readonly string[] {
    return this.#begun?.rollout.unfinished ?? [];
  }

  /** What is known of the roll-out of `commit` since the agent ran last; undefined where nothing is. */
  async remembered(commit: string): Promise<RememberedRollout | undefined> {
    const row = await this.#recorder.read((store) => store.notifications.last(CHANNEL, this.#source), undefined);
    if (row === undefined) return undefined;
    const known = readRollout(row.state);
    return known.commit === commit ? { began: row.at, ...known } : undefined;
  }

  /** From here on a commit reaches those of `targets` that are written in waves; gives the first. `at`: when it began. */
  begin(index: CommitIndex, targets: ReadonlySet<string>, at: number): readonly string[] {
    const waves = wavesOfCommit(index, targets);
    this.#begun = { rollout: new Rollout(index.commit, waves, index.configuration.guards.targets), targets, at };
    return waves[0] ?? [];
  }

  /** Tells of the roll-out that has begun. */
  async tell(): Promise<void> {
    await this.#remember();
    if (this.#begun?.rollout.isOver === false) await this.#tellWave();
  }

  /** Notes how a target came out; gives the targets whose turn has come. */
  async ended(target: string, result: WaveResult): Promise<readonly string[]> {
    const rollout = this.#begun?.rollout;
    if (rollout === undefined || rollout.isOver) return [];
    const { next, stopped, again = [] } = rollout.ended(target, result);
    if (stopped) {
      await this.#events.tell({ type: "rollout-stopped", commit: rollout.commit, failed: target, left: rollout.left });
    }
    if (rollout.isOver) await this.#end(rollout);
    else if (next.length > 0) await this.#tellWave();
    return [...next, ...again];
  }

  async #tellWave(): Promise<void> {
    const rollout = this.#begun?.rollout;
    if (rollout === undefined || rollout.waves.length < 2) return;
    const { commit, number, waves } = rollout;
    await this.#events.tell({ type: "rollout-wave", commit, wave: number, of: waves.length, targets: waves[number - 1] ?? [] });
  }

  async #end({ commit, waves }: Rollout): Promise<void> {
    await this.#remember();
    await this.#events.tell({ type: "rollout-ended", commit, targets: waves.flat().length });
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

/** Versions before wrote the bare commit of a roll-out that was over. */
function readRollout(text: string): Omit<RememberedRollout, "began"> {
  if (!text.startsWith("{")) return { commit: text, targets: undefined, isOver: true };
  const { commit, targets, isOver } = JSON.parse(text) as Omit<RememberedRollout, "began">;
  return { commit, targets, isOver };
}
