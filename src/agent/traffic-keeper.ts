import { PlumblineError } from "../core/errors.js";
import type { TrafficSettings } from "../desired/configuration/agent.js";
import { asPlumblineError } from "../engine/apply/errors.js";
import { memoryOf } from "../engine/target-memory.js";
import { readSessions } from "../reachability/traffic/read-sessions.js";
import type { Contexts } from "./contexts.js";
import type { Store } from "./store/store.js";
import type { VisitParts } from "./visit-parts.js";
import type { WakeableSleep } from "./wakeable-sleep.js";

/** Dependencies for stored traffic. */
export interface TrafficKeeperParts extends Pick<VisitParts, "source" | "clock" | "settings"> {
  readonly contexts: Pick<Contexts, "of">;
  readonly store: Pick<Store, "traffic">;
  readonly readers: Pick<VisitParts["writers"], "reader">;
  readonly stateFolder: string;
  readonly wake: WakeableSleep;
  readonly stop: AbortSignal;
  readonly onFault: (error: unknown, about: string) => void;
}

/** Milliseconds between two checks for due logs. */
const LOOK = 60_000;
/** Maximum number of consecutive reads of one log, so that other logs are read too. */
const MOST = 10;

/**
 * Reads session logs in sequence, concurrently with the visits, and stores new sessions (docs/insight.md#kept-traffic). It needs no lease
 * of a target and does not delay visits. The store decides who reads, and each session counts once, regardless of the reader.
 */
export class TrafficKeeper {
  readonly #parts: TrafficKeeperParts;
  #work: Promise<void> | undefined;
  #next = 0;

  constructor(parts: TrafficKeeperParts) {
    this.#parts = parts;
  }

  get isIdle(): boolean {
    return this.#work === undefined;
  }

  /** Starts due work and returns immediately. */
  turn(): void {
    const { clock, wake } = this.#parts;
    if (this.#work !== undefined || clock.monotonic() < this.#next) return;
    this.#next = clock.monotonic() + LOOK;
    this.#work = this.look().finally(() => {
      this.#work = undefined;
      wake.call();
    });
  }

  /** Resolves when the current work has ended. */
  async settled(): Promise<void> {
    await this.#work;
  }

  /** Reads all due logs. Deletes traffic of targets that are no longer configured for it. */
  async look(): Promise<void> {
    const { source, store, settings, stop, onFault } = this.#parts;
    const wanted = settings().traffic;
    const isWanted = (target: string): boolean => wanted !== undefined && (wanted.targets ?? [target]).includes(target);
    try {
      const inForce = [...(source.inForce?.targets.keys() ?? [])];
      for (const target of await store.traffic.targets())
        if (inForce.includes(target) && !isWanted(target)) await store.traffic.forget(target);
      if (wanted === undefined) return;
      for (const target of inForce) if (isWanted(target) && !stop.aborted) await this.#keep(target, wanted);
    } catch (error) {
      // The writers to the store report that it is unreachable.
      if (!(error instanceof PlumblineError && error.code.startsWith("store-"))) onFault(error, "traffic");
    }
  }

  async #keep(target: string, { keep, rows, interval }: TrafficSettings): Promise<void> {
    const { clock, stop } = this.#parts;
    const { traffic } = this.#parts.store;
    if (!(await traffic.take(target, keep, clock.now(), interval))) return;
    try {
      if (await this.#read(target, keep, rows)) await traffic.note(target, { next: clock.now() });
    } catch (cause) {
      if (!stop.aborted) await traffic.note(target, { failure: asPlumblineError(cause, target).message });
    }
  }

  /** Returns true if there is more to read. */
  async #read(target: string, keep: number, rows: number): Promise<boolean> {
    const { contexts, readers, clock, stateFolder, stop } = this.#parts;
    const { traffic } = this.#parts.store;
    const { configuration, policies } = await contexts.of(target);
    const sessionLog = (await policies?.load())?.sessionLog;
    const reader = await readers.reader(configuration);
    try {
      const { logs } = reader;
      if (logs === undefined || sessionLog === undefined) return false;
      const { serial = "" } = (await reader.open(memoryOf(stateFolder, target))).identity;
      for (let readings = 0; readings < MOST && !stop.aborted; readings++) {
        const log = await traffic.log(target, serial);
        const read = await readSessions({ logs, sessionLog, target, before: log.mark, keep, now: clock.now(), stop });
        if (!(await traffic.add(log, read, rows)) || !read.more) return false;
      }
      return true;
    } finally {
      await reader.close();
    }
  }
}
