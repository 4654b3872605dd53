import type { TargetConfiguration } from "../desired/configuration/configuration.js";
import { type Allowance, allowanceKey, isAllowance } from "../engine/allowance.js";
import { type Approvals, signedApproval } from "../engine/approvals.js";
import { type Board, isInForce, type NoticeBoard, type Notices, pausedError, pausedOnlyHere, pauseOf } from "../engine/notices.js";
import type { Approval, Pause } from "../engine/pause.js";
import type { SignedNotices } from "../engine/signed-notices.js";
import { pausesInFiles } from "./pause-files.js";
import type { Store } from "./store/store.js";

export interface NoticeSources {
  readonly store: Store;
  /** The notices next to the ledgers. Undefined before there is a commit. */
  readonly board: () => NoticeBoard | undefined;
  readonly signed: Pick<SignedNotices, "approver" | "resumer">;
  readonly stateFolder: string;
  readonly now: () => number;
}

const EMPTY: Board = { pauses: [], approvals: [], resumes: [] };

/**
 * Pauses and approvals from the store, from files and from the shared board. Anyone who may push can write the board, so a
 * pause from there counts and is kept in the store until it is resumed; approvals and resumes from there count only if a
 * person with the role signed them. The page and the commands of this machine write the store.
 */
export class AgentNotices implements Notices, Approvals {
  readonly #sources: NoticeSources;
  #board = EMPTY;
  /** Pauses of the board by their text, moved to the clock of this agent. */
  #byOwnClock: ReadonlyMap<string, Pause> = new Map();
  /** When the board was read last. Undefined before the first read. */
  #readAt: number | undefined;
  /** Targets that pauses of this machine name. */
  #here = "";

  constructor(sources: NoticeSources) {
    this.#sources = sources;
  }

  /**
   * Reads the board, unless that was done within the last `age` milliseconds. The last known state is kept if it fails.
   * @throws PlumblineError `notices-unreadable` (refused)
   */
  async refresh(age = 0): Promise<void> {
    const at = this.#sources.now();
    const passed = at - (this.#readAt ?? Number.NEGATIVE_INFINITY);
    if (passed >= 0 && passed < age) return;
    const found = await this.#sources.board()?.everything();
    if (found === undefined) return;
    this.#byOwnClock = new Map(found.pauses.map((pause) => [JSON.stringify(pause), this.#corrected(pause)]));
    const board = { ...found, pauses: [...this.#byOwnClock.values()] };
    await this.#keepPauses(board);
    this.#board = board;
    this.#readAt = at;
  }

  /**
   * Returns the pause by the clock of this agent. A pause that the last read did not return cannot have begun before that read: the clock
   * of its machine is behind, so the pause is moved.
   */
  #corrected(pause: Pause): Pause {
    const known = this.#byOwnClock.get(JSON.stringify(pause));
    if (known !== undefined) return known;
    const behind = (this.#readAt ?? pause.since) - pause.since;
    if (behind <= 0 || pause.until === undefined) return pause;
    return { ...pause, since: pause.since + behind, until: pause.until + behind };
  }

  /** Copies pauses of the board to the store, and applies signed resumes. */
  async #keepPauses({ pauses, resumes }: Board): Promise<void> {
    const { store, signed } = this.#sources;
    const now = this.#sources.now();
    const stored = await store.pauses.active(now);
    const isKept = (pause: Pause): boolean => stored.some((each) => each.target === pause.target && lastsAsLong(each, pause));
    // A pause begins when this agent first reads it: the clock of its machine may be behind a resume that was signed before.
    for (const pause of pauses)
      if (isInForce(pause, now) && !isKept(pause)) await store.pauses.pause({ ...pause, since: Math.max(pause.since, now) });
    for (const resume of resumes) {
      const paused = (await store.pauses.active(now)).find(({ target }) => target === resume.target);
      if (paused === undefined || paused.since > resume.at) continue;
      const who = await signed.resumer(resume);
      if (who !== undefined) await store.pauses.resume(resume.target, who, now);
    }
  }

  /** A pause that the board does not have is `onlyHere`. Before the first read of the board this is not known. */
  async pauses(now: number): Promise<readonly Pause[]> {
    const { store, stateFolder } = this.#sources;
    const [stored, files] = await Promise.all([store.pauses.active(now), pausesInFiles(stateFolder)]);
    const here = [...stored, ...files].filter((pause) => isInForce(pause, now));
    const shared = this.#board.pauses.filter((pause) => isInForce(pause, now));
    this.#refreshAfter(here);
    const alone = here.filter(({ target }) => !shared.some((pause) => pause.target === target));
    if (this.#readAt === undefined) return [...shared, ...alone];
    return [...shared, ...alone.map((pause) => ({ ...pause, onlyHere: true }))];
  }

  /** Reads the board again if someone on this machine has paused or resumed. Does not wait for a slow remote. */
  #refreshAfter(here: readonly Pause[]): void {
    const names = here.map(({ target = "*" }) => target).join("\n");
    if (names === this.#here) return;
    this.#here = names;
    this.refresh().catch(() => undefined);
  }

  async refusePaused(target: string, now: number): Promise<void> {
    await this.refresh();
    const pause = pauseOf(await this.pauses(now), target);
    if (pause !== undefined) throw pausedError(pause, target);
  }

  /**
   * Pauses every runner: in the store and on the board.
   * @throws PlumblineError `notices-unwritable` if only this agent is paused.
   */
  async pause(pause: Pause): Promise<void> {
    const board = this.#sources.board();
    await this.#sources.store.pauses.pause(pause);
    try {
      if (board === undefined) throw new Error("no commit is active");
      await board.pause(pause);
      await this.refresh();
    } catch (error) {
      throw pausedOnlyHere(pause.target, error);
    }
  }

  /** Returns false if there was no such pause. The board comes first: if it cannot be changed, nothing is. */
  async resume(target: string | undefined, by: string, now: number): Promise<boolean> {
    const shared = (await this.#sources.board()?.resume(target)) ?? false;
    const stored = await this.#sources.store.pauses.resume(target, by, now);
    // A pause of another machine that was not read yet has no row in the store.
    if (shared && !stored)
      await this.#sources.store.history.note({ kind: "resume", at: now, target, author: by, summary: "was paused elsewhere" });
    await this.refresh();
    return stored || shared;
  }

  async approve(approval: Approval): Promise<void> {
    await this.#sources.store.approvals.approve(approval);
  }

  async allow({ target, digest, flags, by, at }: Allowance): Promise<void> {
    const { approvals, history } = this.#sources.store;
    await approvals.approve({ target, digest: allowanceKey(digest, flags), by, at, source: "page" });
    const summary = `plan ${digest.slice(0, 12)} may pass once: ${flags.join(" ")}`;
    await history.note({ kind: "approval", at, target, author: by, outcome: "allowed", summary, detail: { digest, flags } });
  }

  /** Returns whether someone has allowed a refused plan of the target. */
  async mayAllow(target: string, now: number): Promise<boolean> {
    const allowances = await this.#sources.store.approvals.allowances(target);
    return allowances.some((allowance) => isAllowance(allowance, target, now));
  }

  /** Uses up the allowance for this plan and these flags. Returns false if there is none, it is too old, or it was used. */
  async takeAllowance(target: string, digest: string, flags: readonly string[], now: number): Promise<boolean> {
    const key = allowanceKey(digest, flags);
    const { approvals } = this.#sources.store;
    const given = await approvals.get(target, key);
    return given !== undefined && isAllowance(given, target, now) && (await approvals.withdraw(target, key));
  }

  /** Returns the setting in the active commit, which comes from the branch that the agent follows. */
  async isRequired({ approve }: TargetConfiguration): Promise<boolean> {
    return approve === "required";
  }

  /** Returns the approval of a plan: from the store, or signed on the board. */
  async approval(target: string, digest: string): Promise<Approval | undefined> {
    const stored = await this.#sources.store.approvals.get(target, digest);
    if (stored !== undefined) return stored;
    return await signedApproval(this.#board.approvals, this.#sources.signed, target, digest);
  }
}

function lastsAsLong(stored: Pause, { until }: Pause): boolean {
  return stored.until === undefined || (until !== undefined && stored.until >= until);
}
