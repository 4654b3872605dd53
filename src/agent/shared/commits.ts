import type { CommitIndex } from "../commit-index.js";
import { mergeCommits } from "../merge-commits.js";
import type { NewCommit } from "../source.js";
import type { Touched } from "../store/shared/commits.js";
import type { Trigger } from "../store/store.js";
import { wavesOfCommit } from "../waves.js";
import type { SharedAgentParts } from "./shared-agent.js";

const FETCH_JITTER = 60_000;
const BEHIND = 3_000;

/**
 * Active commit of all agents, which is in the store. An agent that has fetched a newer one activates it there, unless another agent
 * was faster. While its own commit differs, an agent takes no jobs.
 */
export class SharedCommits {
  readonly #parts: SharedAgentParts;
  #fetching: Promise<void> | undefined;
  #fetchAt = 0;
  #trigger: Trigger = "git";
  /** Commit of the repository at the last fetch. */
  #fetched: string | undefined;
  /** Commit that this agent has loaded but could not activate in the store. */
  #waitingCommit: NewCommit | undefined;
  /** Active commit at the last read of the store. */
  #agreed: string | undefined;

  constructor(parts: SharedAgentParts) {
    this.#parts = parts;
    parts.events.listen((event) => {
      if (event.type === "source-fetched") this.#fetched = event.commit;
    });
  }

  async open(): Promise<void> {
    const { source } = this.#parts;
    await source.open();
    const { inForce } = source;
    if (inForce !== undefined) await this.#report({ index: inForce, previous: undefined, affected: new Set(inForce.targets.keys()) });
  }

  /** This agent has the active commit of all agents. */
  get isCurrent(): boolean {
    const mine = this.#parts.source.inForce?.commit;
    return mine !== undefined && mine === this.#agreed;
  }

  get isIdle(): boolean {
    return this.#fetching === undefined;
  }

  /** Time of the next fetch, on the monotonic clock. */
  get nextFetch(): number {
    return this.#fetching === undefined ? this.#fetchAt : Number.POSITIVE_INFINITY;
  }

  async settled(): Promise<void> {
    await this.#fetching;
  }

  fetchSoon(trigger: Trigger): void {
    this.#fetchAt = 0;
    this.#trigger = trigger;
    this.#parts.wake.call();
  }

  /** Called when another agent has activated a commit. */
  recheck(): void {
    this.#agreed = undefined;
    this.fetchSoon("git");
  }

  fetchWhenDue(): void {
    const { clock, settings, onFault, wake } = this.#parts;
    if (this.#fetching !== undefined || clock.monotonic() < this.#fetchAt) return;
    this.#fetchAt = clock.monotonic() + settings().source.interval + clock.random() * FETCH_JITTER;
    const trigger = this.#trigger;
    this.#trigger = "git";
    this.#fetching = this.#fetch(trigger)
      .catch((error: unknown) => {
        this.#fetchSoon();
        onFault(error, "source");
      })
      .finally(() => {
        this.#fetching = undefined;
        wake.call();
      });
  }

  async #fetch(trigger: Trigger): Promise<void> {
    const { source, notices, work, repository } = this.#parts;
    // This is read before the fetch. The fetched commit is therefore at least as new.
    const before = await work.commits.inForce(repository);
    this.#fetched = undefined;
    const news = await source.refresh();
    this.#waitingCommit = mergeCommits(this.#waitingCommit, news);
    await notices.refresh().catch(() => undefined);
    if (news !== undefined) await this.#report(news);
    const { inForce } = source;
    if (inForce !== undefined && this.#fetched === inForce.commit && before !== inForce.commit) {
      await this.#take(before, inForce, this.#waitingCommit, trigger);
    }
    this.#waitingCommit = undefined;
    this.#agreed = await work.commits.inForce(repository);
    if (!this.isCurrent) this.#fetchSoon();
  }

  async #take(before: string | undefined, index: CommitIndex, news: NewCommit | undefined, trigger: Trigger): Promise<void> {
    const { work, repository } = this.#parts;
    const changed = new Set(news?.affected ?? index.targets.keys());
    const touched = touchedBy(index, new Set([...changed, ...(await work.commits.unfinished())]), changed);
    await work.commits.take({
      source: repository,
      before,
      commit: index.commit,
      touched,
      trigger: before === undefined ? "start" : trigger,
    });
  }

  async #report({ index, previous, affected }: NewCommit): Promise<void> {
    const { events, tracker } = this.#parts;
    for (const target of previous?.targets.keys() ?? []) if (!index.targets.has(target)) tracker.forget(target);
    const { commit, author } = index;
    await events.emit({ type: "commit-in-force", commit, previous: previous?.commit, author, targets: [...affected] });
  }

  #fetchSoon(): void {
    const { clock, settings } = this.#parts;
    const soon = clock.monotonic() + Math.min(settings().source.interval, BEHIND) * (1 + clock.random());
    this.#fetchAt = Math.min(this.#fetchAt, soon);
  }
}

/** Returns the targets that a commit changes or that an earlier commit has not reached, with their waves if the roll-out has more than one. */
function touchedBy(index: CommitIndex, affected: ReadonlySet<string>, changed = affected): Touched[] {
  const waves = wavesOfCommit(index, affected);
  const waveOf = new Map(waves.flatMap((wave, at) => wave.map((target) => [target, at + 1] as const)));
  const known = [...affected].filter((target) => index.targets.has(target));
  return known.map((target) => ({ target, wave: waves.length > 1 ? waveOf.get(target) : undefined, isChanged: changed.has(target) }));
}
