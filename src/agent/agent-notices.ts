import { type Allowance, allowanceKey, isAllowance } from "../engine/allowance.js";
import { isInForce, type NoticeBoard, type Notices, pausedError, pausedOnlyHere, pauseOf } from "../engine/notices.js";
import type { Approval, Pause } from "../engine/pause.js";
import { pausesInFiles } from "./pause-files.js";
import type { Store } from "./store/store.js";

export interface NoticeSources {
  readonly store: Store;
  /** Where other runners put theirs; asked when the repository is. Undefined before there is a commit. */
  readonly board: () => NoticeBoard | undefined;
  readonly stateFolder: string;
}

const PAUSED_ELSEWHERE = "was paused elsewhere";

/**
 * Pauses and approvals from wherever they are given: the store, files, and the board that all runners share. What is
 * shown of the board is what was seen last; what is about to be written asks the board itself.
 */
export class AgentNotices implements Notices {
  readonly #sources: NoticeSources;
  #board: { readonly pauses: readonly Pause[]; readonly approvals: readonly Approval[] } = { pauses: [], approvals: [] };
  /** Targets that pauses of this machine name. */
  #here = "";

  constructor(sources: NoticeSources) {
    this.#sources = sources;
  }

  /** Looks at the board. What was seen last stays where it cannot be read. @throws PlumblineError `notices-unreadable` (refused) */
  async refresh(): Promise<void> {
    const board = this.#sources.board();
    if (board !== undefined) this.#board = await board.everything();
  }

  /** A pause that the board did not have at the last look is `onlyHere`; a new one makes it look again. */
  async pauses(now: number): Promise<readonly Pause[]> {
    const { store, stateFolder } = this.#sources;
    const [stored, files] = await Promise.all([store.pauses.active(now), pausesInFiles(stateFolder)]);
    const here = [...stored, ...files].filter((pause) => isInForce(pause, now));
    const shared = this.#board.pauses.filter((pause) => isInForce(pause, now));
    this.#lookAgainAfter(here);
    const alone = here.filter(({ target }) => !shared.some((pause) => pause.target === target));
    return [...shared, ...alone.map((pause) => ({ ...pause, onlyHere: true }))];
  }

  /** Somebody on this machine has paused or resumed: the board is likely to have changed with it. Nobody waits for a slow remote. */
  #lookAgainAfter(here: readonly Pause[]): void {
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
   * Tells every runner: on the board, and in the store.
   * @throws PlumblineError `notices-unwritable` when only the store, and so this agent, could be told.
   */
  async pause(pause: Pause): Promise<void> {
    const board = this.#sources.board();
    await this.#sources.store.pauses.pause(pause);
    try {
      if (board === undefined) throw new Error("no commit is in force");
      await board.pause(pause);
      await this.refresh();
    } catch (error) {
      throw pausedOnlyHere(pause.target, error);
    }
  }

  /** False where neither the board nor the store has such a pause. What others see goes first: where that cannot be changed, nothing is. */
  async resume(target: string | undefined, by: string, now: number): Promise<boolean> {
    const shared = (await this.#sources.board()?.resume(target)) ?? false;
    const stored = await this.#sources.store.pauses.resume(target, by, now);
    // A pause that was made elsewhere has no row here that says who ended it.
    if (shared && !stored)
      await this.#sources.store.history.note({ kind: "resume", at: now, target, author: by, summary: PAUSED_ELSEWHERE });
    await this.refresh();
    return stored || shared;
  }

  /** Tells every runner: on the board, then in the store. @throws PlumblineError `notices-unwritable` */
  async approve(approval: Approval): Promise<void> {
    await this.#sources.board()?.approve(approval);
    await this.#sources.store.approvals.approve(approval);
    await this.refresh();
  }

  /** Tells every runner, and the history. @throws PlumblineError `notices-unwritable` */
  async allow({ target, digest, flags, by, at }: Allowance): Promise<void> {
    await this.#sources.board()?.approve({ target, digest: allowanceKey(digest, flags), by, at, source: "page" });
    const summary = `plan ${digest.slice(0, 12)} may pass once: ${flags.join(" ")}`;
    await this.#sources.store.history.note({
      kind: "approval",
      at,
      target,
      author: by,
      outcome: "allowed",
      summary,
      detail: { digest, flags },
    });
    await this.refresh();
  }

  /** Somebody has let a plan of the target pass what refuses it, as far as the last look at the board tells. */
  mayAllow(target: string, now: number): boolean {
    return this.#board.approvals.some((approval) => isAllowance(approval, target, now));
  }

  /** Takes the allowance for this plan and these flags; false where nobody gave it, it is too old, or another run has taken it. */
  async takeAllowance(target: string, digest: string, flags: readonly string[], now: number): Promise<boolean> {
    const key = allowanceKey(digest, flags);
    const given = this.#board.approvals.some((approval) => approval.digest === key && isAllowance(approval, target, now));
    return given && (await this.#sources.board()?.withdraw(target, key)) === true;
  }

  async approval(target: string, digest: string): Promise<Approval | undefined> {
    const stored = await this.#sources.store.approvals.get(target, digest);
    return stored ?? this.#board.approvals.find((approval) => approval.target === target && approval.digest === digest);
  }
}
