import type { AgentClock } from "../clock.js";
import type { Notifications } from "../store/store.js";
import type { NoticeState } from "./notice.js";

const FIRST_WAIT = 5_000;
const LONGEST_WAIT = 15 * 60_000;

/** Delivers news to a channel. Throws if it did not arrive. It is then called again with the same or newer news. */
export type Sender = (news: readonly NoticeState[], delivery: Delivery) => Promise<void>;

interface Delivery {
  /** Identical for each attempt of the same delivery. */
  readonly id: string;
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal;
}

export interface ChannelOptions {
  readonly name: string;
  /** Whether this channel receives the news. Filtered news is still recorded. */
  readonly wants: (noticeState: NoticeState) => boolean;
  readonly send: Sender;
  /** Maximum number of changes per delivery. */
  readonly batch: number;
  readonly memory: Notifications;
  readonly clock: AgentClock;
  /** Called after each attempt. The error is undefined on success. */
  readonly onDelivery: (error: unknown) => void;
}

/**
 * A notification channel. It records the last state that it reported for each subject, also over a restart, and reports only changes. If it
 * is slow or unreachable, only the newest state of each subject is queued. The queue is therefore never longer than the number of subjects.
 */
export class Channel {
  readonly #options: ChannelOptions;
  readonly #waiting = new Map<string, NoticeState>();
  /** Last reported state by subject, as far as it was looked up. Undefined if none was reported. */
  readonly #reported = new Map<string, string | undefined>();
  readonly #stop = new AbortController();
  readonly #hurry = new AbortController();
  #working: Promise<void> | undefined;
  #failures = 0;

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** Queues the current state of a subject. Does not block. */
  offer(noticeState: NoticeState): void {
    if (this.#stop.signal.aborted) return;
    const { subject } = noticeState;
    // Usually nothing has changed since the last pass. During a delivery, the last reported state is not known yet.
    if (this.#working === undefined && this.#reported.has(subject) && !isNews(noticeState, this.#reported.get(subject))) return;
    this.#waiting.set(subject, noticeState);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  /** Resolves when the queue is empty, after a failed delivery, or after `patience` milliseconds. */
  async close(patience: number): Promise<void> {
    this.#hurry.abort();
    const over = setTimeout(() => this.#stop.abort(), patience);
    await this.#working;
    clearTimeout(over);
    this.#stop.abort();
  }

  async #work(): Promise<void> {
    // All states of one event are queued before the delivery starts.
    await Promise.resolve();
    while (this.#waiting.size > 0 && !this.#stop.signal.aborted) {
      const news = await this.#takeChanged();
      if (news.length === 0 || (await this.#deliver(news))) continue;
      for (const noticeState of news) if (!this.#waiting.has(noticeState.subject)) this.#waiting.set(noticeState.subject, noticeState);
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
    for (const noticeState of news) await this.#remember(noticeState);
    return true;
  }

  /** Takes the news of the next delivery from the queue. */
  async #takeChanged(): Promise<NoticeState[]> {
    const { wants, batch } = this.#options;
    const news: NoticeState[] = [];
    for (const [subject, noticeState] of [...this.#waiting]) {
      this.#waiting.delete(subject);
      if (!isNews(noticeState, await this.#last(subject))) continue;
      if (!wants(noticeState)) await this.#remember(noticeState);
      else news.push(noticeState);
      if (news.length === batch) break;
    }
    return news;
  }

  async #last(subject: string): Promise<string | undefined> {
    if (this.#reported.has(subject)) return this.#reported.get(subject);
    const { memory, name } = this.#options;
    try {
      const state = (await memory.last(name, subject))?.state;
      this.#reported.set(subject, state);
      return state;
    } catch {
      // A store failure is reported elsewhere.
      return undefined;
    }
  }

  async #remember({ subject, state }: NoticeState): Promise<void> {
    const { memory, name: channel, clock } = this.#options;
    this.#reported.set(subject, state);
    await memory.sent({ channel, subject, state, at: clock.now() }).catch(() => undefined);
  }

  #wait(): number {
    const plain = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** Math.min(this.#failures - 1, 10));
    return Math.round(plain * (0.75 + this.#options.clock.random() / 2));
  }
}

function isNews(noticeState: NoticeState, last: string | undefined): boolean {
  if (last === noticeState.state) return false;
  if (last === undefined) return !noticeState.isUsual;
  return noticeState.audience !== "commit" || !noticeState.isSettledBy(last);
}
