import type { Location, SourceMap } from "../desired/source-map.js";
import type { Drift, DriftItem } from "../outcome/outcome.js";
import { difference } from "../report/describe.js";
import type { EventStream, KnownDrift, PassFacts } from "./events.js";
import { driftKey, type OpenDrift } from "./store/store.js";

interface Tracked extends KnownDrift {
  /** Difference as text. The same path may differ in another way later. */
  readonly words: string;
}

/** Tracks the drift of each target, so that events report only changes. */
export class DriftTracker {
  readonly #events: EventStream;
  readonly #open = new Map<string, ReadonlyMap<string, Tracked>>();

  constructor(events: EventStream) {
    this.#events = events;
  }

  openOf(target: string): readonly KnownDrift[] {
    return [...(this.#open.get(target)?.values() ?? [])];
  }

  /**
   * Records the drift that a pass found at `now`, with places from `sources`. `remembered` is the drift in the store, for a process that has
   * just started.
   */
  async see(
    facts: PassFacts,
    { drift, sources }: { readonly drift: Drift; readonly sources?: SourceMap | undefined },
    now: number,
    remembered: readonly OpenDrift[],
  ): Promise<readonly KnownDrift[]> {
    const { target } = facts;
    const before = this.#open.get(target);
    const since = new Map(remembered.map((each) => [driftKey(each), each.firstSeen]));
    const after = new Map<string, Tracked>();
    for (const item of drift.items) {
      const key = keyOf(item);
      const firstSeen = before?.get(key)?.firstSeen ?? since.get(key) ?? now;
      after.set(key, { key, item, firstSeen, declaredAt: declaredPlace(item, sources), words: wordsOf(item) });
    }
    this.#open.set(target, after);
    for (const { words, ...known } of after.values()) {
      const former = before?.get(known.key);
      const isKnown = former !== undefined || (before === undefined && since.has(known.key));
      if (!isKnown) await this.#events.emit({ type: "drift-appeared", ...facts, ...known });
      else if (former !== undefined && former.words !== words) await this.#events.emit({ type: "drift-changed", ...facts, ...known });
    }
    await this.#resolve(facts, before, after, "gone");
    return this.openOf(target);
  }

  /** Closes the drift for which `isHealed` is true, after the target was written and verified. */
  async healed(facts: PassFacts, isHealed: (drift: KnownDrift) => boolean): Promise<void> {
    const before = this.#open.get(facts.target);
    const after = new Map([...(before ?? [])].filter(([, drift]) => !isHealed(drift)));
    this.#open.set(facts.target, after);
    await this.#resolve(facts, before, after, "healed");
  }

  forget(target: string): void {
    this.#open.delete(target);
  }

  async #resolve(
    facts: PassFacts,
    before: ReadonlyMap<string, Tracked> | undefined,
    after: ReadonlyMap<string, Tracked>,
    how: "healed" | "gone",
  ): Promise<void> {
    for (const { words: _, ...known } of before?.values() ?? []) {
      if (!after.has(known.key)) await this.#events.emit({ type: "drift-resolved", how, ...facts, ...known });
    }
  }
}

/** Returns the place of the declared value. Undefined for a value that no document declares, and for the order of a list. */
export function declaredPlace({ change }: DriftItem, sources: SourceMap | undefined): Location | undefined {
  return "after" in change && "origin" in change.after ? sources?.locate(change.after.origin) : undefined;
}

/** Returns the key of a drift: its path and kind. */
export function keyOf({ change }: Pick<DriftItem, "change">): string {
  return driftKey({ path: change.path.toString(), change: change.kind });
}

function wordsOf({ change }: DriftItem): string {
  switch (change.kind) {
    case "differs":
      return difference(change.before, change.after)
        .map(({ mark, text }) => `${mark}${text}`)
        .join("\n");
    case "order":
      return change.before.join("\n");
    default:
      return change.kind;
  }
}
