import { PlumblineError } from "../core/errors.js";
import { NOTICES, type NoticeText, parseNotices } from "./ledger/notice-text.js";
import { type LedgerStore, VersionConflict } from "./ledger/store.js";
import type { Approval, Pause } from "./pause.js";

/** What every runner on a target must know, wherever it runs (docs/adr/0014-pauses-live-beside-ledgers.md, 0026-notices-are-asked-before-each-write.md). */
export interface Notices {
  /** Pauses in force, of every owner. */
  pauses(now: number): Promise<readonly Pause[]>;
  /**
   * Asks the shared place itself, in one look: what was seen a while ago does not count.
   * @throws PlumblineError `paused`, `notices-unreadable` (both refused)
   */
  refusePaused(target: string, now: number): Promise<void>;
}

const ATTEMPTS = 5;
/** Approvals of old plans are worth nothing: what they were for has been applied, or the target has moved. */
const APPROVALS_KEPT = 200;
const NOTHING: NoticeText = { format: 1, pauses: [], approvals: [] };

/** Pauses and approvals in the place of the ledgers: one document an owner, replaced by compare-and-swap. */
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

  /** All that is on the board, also what is no longer in force. */
  async everything(): Promise<{ readonly pauses: readonly Pause[]; readonly approvals: readonly Approval[] }> {
    const texts = [...(await this.#readAll()).values()];
    return { pauses: texts.flatMap(({ pauses }) => pauses), approvals: texts.flatMap(({ approvals }) => approvals) };
  }

  async refusePaused(target: string, now: number): Promise<void> {
    const pause = pauseOf(await this.pauses(now), target);
    if (pause !== undefined) throw pausedError(pause, target);
  }

  /** Replaces our pause of that target. */
  async pause(pause: Pause): Promise<void> {
    await this.#change((text) => ({ ...text, pauses: [...text.pauses.filter(({ target }) => target !== pause.target), pause] }));
  }

  /** Ends pauses of that target by any owner; false when there were none. */
  async resume(target: string | undefined): Promise<boolean> {
    let found = false;
    for (const [owner, { pauses }] of await this.#readAll()) {
      if (!pauses.some((pause) => pause.target === target)) continue;
      found = true;
      await this.#change((current) => ({ ...current, pauses: current.pauses.filter((pause) => pause.target !== target) }), owner);
    }
    return found;
  }

  async approval(target: string, digest: string): Promise<Approval | undefined> {
    return (await this.everything()).approvals.find((approval) => approval.target === target && approval.digest === digest);
  }

  async approve(approval: Approval): Promise<void> {
    await this.#change((text) => ({ ...text, approvals: [...text.approvals, approval].slice(-APPROVALS_KEPT) }));
  }

  /** Takes back what was given under that digest, by whichever owner; false where it is there no more, so that it counts for one alone. */
  async withdraw(target: string, digest: string): Promise<boolean> {
    const isIt = (approval: Approval): boolean => approval.target === target && approval.digest === digest;
    let found = false;
    for (const [owner, { approvals }] of await this.#readAll()) {
      if (!approvals.some(isIt)) continue;
      let isThere = false;
      await this.#change((text) => {
        isThere = text.approvals.some(isIt);
        return { ...text, approvals: text.approvals.filter((approval) => !isIt(approval)) };
      }, owner);
      found ||= isThere;
    }
    return found;
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
          next: "Give this account the right to write where ledgers are, or name another place with --ledger FILE|URL.",
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
  const until = pause.until === undefined ? "until somebody resumes it" : `until ${new Date(pause.until).toISOString()}`;
  return new PlumblineError("paused", `${pause.target ?? "Every target"} was paused by ${pause.by} ${until}: ${pause.reason}`, {
    where: { target },
    next: `Wait, or end it with \`plumbline resume ${pause.target ?? "--all"}\`.`,
    severity: "refused",
  });
}

/** A pause that the store of this machine has, and that others cannot be told of. */
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
  return new PlumblineError("notices-unreadable", `Whether somebody paused the target cannot be read: ${messageOf(error)}`, {
    next: "Make the place of the ledgers readable, and run again.",
    severity: "refused",
    cause: error,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
