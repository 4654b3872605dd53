import { performance } from "node:perf_hooks";
import type { Observer } from "../core/observe.js";

/** Sums the durations of the stages of each target since the last `take`. */
export class Stopwatch {
  readonly #now: () => number;
  readonly #stages = new Map<string, Map<string, number>>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns milliseconds by stage and resets the sums. */
  take(target: string): Readonly<Record<string, number>> {
    const stages = this.#stages.get(target) ?? [];
    this.#stages.delete(target);
    return Object.fromEntries([...stages].map(([stage, milliseconds]) => [stage, Math.round(milliseconds)]));
  }

  observer(target?: string): Observer {
    const observer: Observer = {
      begin: (activity) => {
        if (activity.type === "request") return { inside: observer, end: () => undefined };
        const began = this.#now();
        const name = activity.target ?? target;
        const inside = name === target ? observer : this.observer(name);
        return { inside, end: () => this.#add(name, activity.name, this.#now() - began) };
      },
      repeat: () => undefined,
    };
    return observer;
  }

  #add(target: string | undefined, stage: string, milliseconds: number): void {
    if (target === undefined || stage === "visit") return;
    const stages = this.#stages.get(target) ?? new Map<string, number>();
    stages.set(stage, (stages.get(stage) ?? 0) + milliseconds);
    this.#stages.set(target, stages);
  }
}
