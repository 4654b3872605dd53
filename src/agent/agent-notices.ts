import { isInForce, type NoticeBoard, type Notices, pausedError, pauseOf } from "../engine/notices.js";
import type { Approval, Pause } from "../engine/pause.js";
import { pausesInFiles } from "./pause-files.js";
import type { Store } from "./store/store.js";

export interface NoticeSources {
  readonly store: Store;
  /** Where other runners put theirs; asked when the repository is. Undefined before there is a commit. */
  readonly board: () => NoticeBoard | undefined;
  readonly stateFolder: string;
}

/**
 * Pauses and approvals from wherever they are given: the store, files, and the board that all runners share. What is
 * shown of the board is what was seen last; what is about to be written asks the board itself.
 */
export class AgentNotices implements Notices {
  readonly #sources: NoticeSources;
  #board: { readonly pauses: readonly Pause[]; readonly approvals: readonly Approval[] } = { pauses: [], approvals: [] };

  constructor(sources: NoticeSources) {
    this.#sources = sources;
  }

  /** Looks at the board. What was seen last stays where it cannot be read. @throws PlumblineError `notices-unreadable` (refused) */
  async refresh(): Promise<void> {
    const board = this.#sources.board();
    if (board !== undefined) this.#board = await board.everything();
  }

  async pauses(now: number): Promise<readonly Pause[]> {
    const { store, stateFolder } = this.#sources;
    const [stored, files] = await Promise.all([store.pauses.active(now), pausesInFiles(stateFolder)]);
    return [...stored, ...files, ...this.#board.pauses].filter((pause) => isInForce(pause, now));
  }

  async refusePaused(target: string, now: number): Promise<void> {
    await this.refresh();
    const pause = pauseOf(await this.pauses(now), target);
    if (pause !== undefined) throw pausedError(pause, target);
  }

  /** Tells every runner: in the store, and on the board. */
  async pause(pause: Pause): Promise<void> {
    await this.#sources.store.pauses.pause(pause);
    await this.#sources.board()?.pause(pause);
    await this.refresh();
  }

  /** False where neither the store nor the board has such a pause. */
  async resume(target: string | undefined, by: string, now: number): Promise<boolean> {
    const stored = await this.#sources.store.pauses.resume(target, by, now);
    const shared = (await this.#sources.board()?.resume(target)) ?? false;
    await this.refresh();
    return stored || shared;
  }

  async approval(target: string, digest: string): Promise<Approval | undefined> {
    const stored = await this.#sources.store.approvals.get(target, digest);
    return stored ?? this.#board.approvals.find((approval) => approval.target === target && approval.digest === digest);
  }
}
