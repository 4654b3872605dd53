import type { TargetConfiguration } from "../desired/configuration.js";
import type { CommitIndex } from "./commit-index.js";
import type { EventStream } from "./events.js";
import type { Recorder } from "./record.js";
import { apartOf, Rollout, type WaveResult, wavesOf } from "./rollout.js";

const CHANNEL = "rollout";

/** The roll-out of the commit in force, remembered until it is over, also by an agent that is started again. */
export class Rollouts {
  readonly #events: EventStream;
  readonly #recorder: Recorder;
  readonly #source: string;
  #current: Rollout | undefined;

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

  /** Whether the roll-out of `commit` came to its end. */
  async isOver(commit: string): Promise<boolean> {
    return (await this.#recorder.read((store) => store.notifications.last(CHANNEL, this.#source), undefined))?.state === commit;
  }

  /** Begins with those of `targets` that are written, in waves; gives the first. */
  async begin(index: CommitIndex, targets: ReadonlySet<string>, at: number): Promise<readonly string[]> {
    const { configuration, commit } = index;
    const enforced = [...configuration.targets.keys()].filter(
      (name) => targets.has(name) && index.targets.has(name) && configuration.targets.get(name)?.mode === "enforce",
    );
    const { rollout } = configuration.agent;
    const followed = (name: string): Iterable<string> => index.targets.get(name)?.references.targets ?? [];
    const waves = wavesOf(enforced, rollout, apartOf(rollout.apart, addressesOf(configuration.targets)), followed);
    this.#current = new Rollout(commit, waves);
    if (waves.length === 0) await this.#end(0, at);
    else await this.#tellWave();
    return waves[0] ?? [];
  }

  /** Notes how a target came out; gives the targets whose turn has come. */
  async ended(target: string, result: WaveResult, at: number): Promise<readonly string[]> {
    const rollout = this.#current;
    if (rollout === undefined || rollout.isOver) return [];
    const { next, stopped } = rollout.ended(target, result);
    if (stopped) {
      await this.#events.tell({ type: "rollout-stopped", commit: rollout.commit, failed: target, left: rollout.left });
    }
    if (rollout.isOver) await this.#end(rollout.waves.flat().length, at);
    else if (next.length > 0) await this.#tellWave();
    return next;
  }

  async #tellWave(): Promise<void> {
    const rollout = this.#current;
    if (rollout === undefined || rollout.waves.length < 2) return;
    const { commit, number, waves } = rollout;
    await this.#events.tell({ type: "rollout-wave", commit, wave: number, of: waves.length, targets: waves[number - 1] ?? [] });
  }

  async #end(targets: number, at: number): Promise<void> {
    const commit = this.#current?.commit ?? "";
    await this.#recorder.write(
      (store) => store.notifications.sent({ channel: CHANNEL, subject: this.#source, state: commit, at }),
      undefined,
    );
    if (targets > 0) await this.#events.tell({ type: "rollout-ended", commit, targets });
  }
}

export function addressesOf(targets: ReadonlyMap<string, TargetConfiguration>) {
  const addresses = new Map<string, { readonly own: string; readonly peers: readonly string[] }>();
  for (const [name, target] of targets) if (target.kind === "panos") addresses.set(name, { own: target.url, peers: target.peers });
  return addresses;
}
