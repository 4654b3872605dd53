import type { AgentClock } from "../clock.js";
import type { Notifications } from "../store/store.js";
import type { NoticeState } from "./notice.js";

const FIRST_WAIT = 5_000;
const LONGEST_WAIT = 15 * 60_000;

/** Carries what changed to somebody. Throws where it did not arrive; it is then called again with the same, or with newer. */
export type Sender = (news: readonly NoticeState[], delivery: Delivery) => Promise<void>;

interface Delivery {
  /** The same when it is tried again. */
  readonly id: string;
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal;
}

export interface ChannelOptions {
  readonly name: string;
  /** Whether it is told of this at all; what it is not told of is remembered all the same. */
  readonly wants: (standing: NoticeState) => boolean;
  readonly send: Sender;
  /** Changes in one delivery at most. */
  readonly batch: number;
  readonly memory: Notifications;
  readonly clock: AgentClock;
  /** Undefined error: it arrived. */
  readonly onDelivery: (error: unknown) => void;
}

/**
 * One way to tell people. It knows of each subject what it told last, also after a restart, and tells of changes alone. While
 * it is slow or away only the newest state of each subject waits, so it never holds more than there are subjects.
 */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #waiting = new Map<string, NoticeState>();
  /** By subject, as far as it was asked for; undefined: nothing was ever told. */
  readonly #told = new Map<string, string | undefined>();
  readonly #stop = new AbortController();
  readonly #hurry = new AbortController();
  #working: Promise<void> | undefined;
  #failures = 0;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** Takes in how something stands now; returns at once. */
  offer(standing: NoticeState): void {
    if (this.#stop.signal.aborted) return;
    const { subject } = standing;
    // The usual case, pass after pass. While something is on its way, what was told last is not known yet.
    if (this.#working === undefined && this.#told.has(subject) && !isNews(standing, this.#told.get(subject))) return;
    this.#waiting.set(subject, standing);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Resolves when nothing waits, or when another try would have to be waited for. */
  async close(patience: number): Promise<void> {
    this.#hurry.abort();
    const over = setTimeout(() => this.#stop.abort(), patience);
    await this.#working;
    clearTimeout(over);
    this.#stop.abort();
  }

  async #work(): Promise<void> {
    // What one event shows is offered together.
    await Promise.resolve();
    while (this.#waiting.size > 0 && !this.#stop.signal.aborted) {
      const news = await this.#takeChanged();
      if (news.length === 0 || (await this.#deliver(news))) continue;
      for (const standing of news) if (!this.#waiting.has(standing.subject)) this.#waiting.set(standing.subject, standing);
      if (this.#hurry.signal.aborted) return;
      await this.#options.clock.sleep(this.#wait(), this.#hurry.signal);
    }
  }

  async #deliver(news: readonly NoticeState[]): Promise<boolean> {
    const { send, onDelivery } = this.#options;
    const id = news.map(({ subject, state }) => `${subject} ${state}`).join("\n");
    try {
      await send(news, { id, signal: this.#stop.signal });
      this.#failures = 0;
      onDelivery(undefined);
    } catch (error) {
      this.#failures += 1;
      onDelivery(error);
      return false;
    }
    for (const standing of news) await this.#remember(standing);
    return true;
  }

  /** Takes what is to be told now out of what waits. */
  async #takeChanged(): Promise<NoticeState[]> {
    const { wants, batch } = this.#options;
    const news: NoticeState[] = [];
    for (const [subject, standing] of [...this.#waiting]) {
      this.#waiting.delete(subject);
      if (!isNews(standing, await this.#last(subject))) continue;
      if (!wants(standing)) await this.#remember(standing);
      else news.push(standing);
      if (news.length === batch) break;
    }
    return news;
  }

  async #last(subject: string): Promise<string | undefined> {
    if (this.#told.has(subject)) return this.#told.get(subject);
    const { memory, name } = this.#options;
    try {
      const state = (await memory.last(name, subject))?.state;
      this.#told.set(subject, state);
      return state;
    } catch {
      // A store that fails is told of elsewhere.
      return undefined;
    }
  }

  async #remember({ subject, state }: NoticeState): Promise<void> {
    const { memory, name: channel, clock } = this.#options;
    this.#told.set(subject, state);
    await memory.sent({ channel, subject, state, at: clock.now() }).catch(() => undefined);
  }

  #wait(): number {
    const plain = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(this.#failures - 1, 10));
    return Math.round(plain * (0.75 + this.#options.clock.random() / 2));
  }
}

function isNews(standing: NoticeState, last: string | undefined): boolean {
  if (last === standing.state) return false;
  if (last === undefined) return !standing.isUsual;
  return standing.audience !== "commit" || !standing.isSettledBy(last);
}
