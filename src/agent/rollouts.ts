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
  readonly began: number | undefined;
  /** Those that the commit touched, written or not; unknown where a version before this one has noted it. */
  readonly targets: readonly string[] | undefined;
  readonly isOver: boolean;
}

/** The roll-out of the commit in force, remembered until it is over, also by an agent that is started again. */
export class Rollouts {
  readonly #events: EventStream;
  readonly #recorder: Recorder;
  readonly #source: string;
  #current: Rollout | undefined;
  #known: RememberedRollout | undefined;

  constructor(events: EventStream, recorder: Recorder, source: string) {
    this.#events = events;
    this.#recorder = recorder;
    this.#source = source;
  }

  hasTurn(target: string): boolean {
    return this.#current?.hasTurn(target) ?? true;
  }

  /** Targets that a commit before has not reached yet. */
  get unfinished(): readonly string[] {
    return this.#current?.unfinished ?? [];
  }

  /** What is known of the roll-out of `commit` since the agent ran last; undefined where nothing is. */
  async remembered(commit: string): Promise<RememberedRollout | undefined> {
    const row = await this.#recorder.read((store) => store.notifications.last(CHANNEL, this.#source), undefined);
    const known = row === undefined ? undefined : readRollout(row.state);
    return known?.commit === commit ? { began: row?.at, ...known } : undefined;
  }

  /** From here on a commit reaches those of `targets` that are written in waves; gives the first. `at`: when it began. */
  begin(index: CommitIndex, targets: ReadonlySet<string>, at: number): readonly string[] {
    const waves = wavesOfCommit(index, targets);
    this.#current = new Rollout(index.commit, waves);
    this.#known = { commit: index.commit, began: at, targets: [...targets], isOver: waves.length === 0 };
    return waves[0] ?? [];
  }

  /** Tells of the roll-out that has begun. */
  async tell(): Promise<void> {
    await this.#remember();
    if (this.#known?.isOver === false) await this.#tellWave();
  }

  /** Notes how a target came out; gives the targets whose turn has come. */
  async ended(target: string, result: WaveResult): Promise<readonly string[]> {
    const rollout = this.#current;
    if (rollout === undefined || rollout.isOver) return [];
    const { next, stopped } = rollout.ended(target, result);
    if (stopped) {
      await this.#events.tell({ type: "rollout-stopped", commit: rollout.commit, failed: target, left: rollout.left });
    }
    if (rollout.isOver) await this.#end(rollout);
    else if (next.length > 0) await this.#tellWave();
    return next;
  }

  async #tellWave(): Promise<void> {
    const rollout = this.#current;
    if (rollout === undefined || rollout.waves.length < 2) return;
    const { commit, number, waves } = rollout;
    await this.#events.tell({ type: "rollout-wave", commit, wave: number, of: waves.length, targets: waves[number - 1] ?? [] });
  }

  async #end({ commit, waves }: Rollout): Promise<void> {
    this.#known = this.#known === undefined ? undefined : { ...this.#known, isOver: true };
    await this.#remember();
    await this.#events.tell({ type: "rollout-ended", commit, targets: waves.flat().length });
  }

  async #remember(): Promise<void> {
    const known = this.#known;
    if (known === undefined) return;
    const { began: at = 0, ...state } = known;
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
