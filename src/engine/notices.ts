import { PlumblineError } from "../core/errors.js";
import { NOTICES, type NoticeText, parseNotices } from "./ledger/notice-text.js";
import { type LedgerStore, VersionConflict } from "./ledger/store.js";
import type { Approval, Pause, Resume } from "./pause.js";

/** Pauses that every runner must respect (decision 10 and decision 22). */
export interface Notices {
  /** Active pauses, of every owner. */
  pauses(now: number): Promise<readonly Pause[]>;
  /**
   * Reads the shared store without a cache.
   * @throws PlumblineError `paused`, `notices-unreadable` (both refused)
   */
  refusePaused(target: string, now: number): Promise<void>;
}

const ATTEMPTS = 5;
/** Older approvals and resumes are removed. */
const APPROVALS_KEPT = 200;
const RESUMES_KEPT = 200;
const NOTHING: NoticeText = { format: 1, pauses: [], approvals: [] };

/** Contents of a notice board. Every account that may push can change everything, so only pauses count without a signature. */
export interface Board {
  readonly pauses: readonly Pause[];
  readonly approvals: readonly Approval[];
  readonly resumes: readonly Resume[];
}

/** Pauses, approvals and resumes next to the ledgers: one document for each owner, replaced by compare-and-swap. */
export class NoticeBoard implements Notices {
  readonly #store: LedgerStore;
  readonly #owner: string;

  constructor(store: LedgerStore, owner: string) {
    this.#store = store;
    this.#owner = owner;
  }

  async pauses(now: number): Promise<readonly Pause[]> {
    return (await this.everything()).pauses.filter((pause) => isInForce(pause, now));
  }

  /** Everything on the board, also pauses that have ended. */
  async everything(): Promise<Board> {
    const texts = [...(await this.#readAll()).values()];
    return {
      pauses: texts.flatMap(({ pauses }) => pauses),
      approvals: texts.flatMap(({ approvals }) => approvals),
      resumes: texts.flatMap(({ resumes }) => resumes ?? []),
    };
  }

  async refusePaused(target: string, now: number): Promise<void> {
    const pause = pauseOf(await this.pauses(now), target);
    if (pause !== undefined) throw pausedError(pause, target);
  }

  /** Replaces our pause of that target. */
  async pause(pause: Pause): Promise<void> {
    await this.#change((text) => ({ ...text, pauses: [...text.pauses.filter(({ target }) => target !== pause.target), pause] }));
  }

  /**
   * Removes pauses of that target by any owner. Returns false if no pause exists.
   * @param signed Also ends them for agents, which ignore an unsigned removal.
   */
  async resume(target: string | undefined, signed?: Resume): Promise<boolean> {
    let found = false;
    for (const [owner, { pauses }] of await this.#readAll()) {
      if (!pauses.some((pause) => pause.target === target)) continue;
      found = true;
      await this.#change((current) => ({ ...current, pauses: current.pauses.filter((pause) => pause.target !== target) }), owner);
    }
    // After the removal: an agent that read both would take the pause for a new one.
    if (signed !== undefined) await this.#change((text) => ({ ...text, resumes: [...(text.resumes ?? []), signed].slice(-RESUMES_KEPT) }));
    return found;
  }

  async approve(approval: Approval): Promise<void> {
    await this.#change((text) => ({ ...text, approvals: [...text.approvals, approval].slice(-APPROVALS_KEPT) }));
  }

  async #readAll(): Promise<ReadonlyMap<string, NoticeText>> {
    try {
      return new Map([...(await this.#store.readAll(NOTICES))].map(([owner, { text }]) => [owner, parseNotices(text)]));
    } catch (error) {
      throw unreadable(error);
    }
  }

  async #read(owner: string): Promise<{ text: NoticeText; version: string | undefined }> {
    try {
      const found = await this.#store.read({ owner, target: NOTICES });
      return { text: found === undefined ? NOTHING : parseNotices(found.text), version: found?.version };
    } catch (error) {
      throw unreadable(error);
    }
  }

  async #change(change: (text: NoticeText) => NoticeText, owner = this.#owner): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const { text, version } = await this.#read(owner);
      try {
        await this.#store.write({ owner, target: NOTICES }, `${JSON.stringify(change(text), null, 1)}\n`, version);
        return;
      } catch (error) {
        if (error instanceof VersionConflict && attempt < ATTEMPTS) continue;
        throw new PlumblineError("notices-unwritable", `Pauses and approvals cannot be written: ${messageOf(error)}`, {
          next: "Give this account write access to the place of the ledgers, or name another place with --ledger FILE|URL.",
        });
      }
    }
  }
}

/** The pause that holds for a target: its own before one of all. */
export function pauseOf(pauses: readonly Pause[], target: string): Pause | undefined {
  return pauses.find((pause) => pause.target === target) ?? pauses.find((pause) => pause.target === undefined);
}

export function isInForce({ until }: Pause, now: number): boolean {
  return until === undefined || until > now;
}

export function pausedError(pause: Pause, target: string): PlumblineError {
  const until = pause.until === undefined ? "until it is resumed" : `until ${new Date(pause.until).toISOString()}`;
  return new PlumblineError("paused", `${pause.target ?? "Every target"} was paused by ${pause.by} ${until}: ${pause.reason}`, {
    where: { target },
    next: `Wait, or end it with \`plumbline resume ${pause.target ?? "--all"}\`.`,
    severity: "refused",
  });
}

/** Error for a pause that exists only in the store of this machine, because the shared store cannot be written. */
export function pausedOnlyHere(target: string | undefined, cause: unknown): PlumblineError {
  const who = target === undefined ? "Every target is" : `${target} is`;
  return new PlumblineError(
    "notices-unwritable",
    `${who} paused for an agent with the store of this machine, and for no other runner: ${messageOf(cause)}`,
    {
      next: "Run it again once the place of the ledgers can be reached; elsewhere in a hurry, put a file pause/TARGET into the agent's state folder.",
      cause,
    },
  );
}

function unreadable(error: unknown): PlumblineError {
  if (error instanceof PlumblineError) return error;
  return new PlumblineError("notices-unreadable", `The pause notices cannot be read: ${messageOf(error)}`, {
    next: "Make the place of the ledgers readable, and run again.",
    severity: "refused",
    cause: error,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
