import { PlumblineError } from "../../../core/errors.js";
import type { Operation } from "../../../core/operation.js";
import type { Writes } from "../../../engine/write-target.js";
import type { PendingChange } from "../../../plan/platform.js";
import { readPending } from "../pending.js";
import { sendAtomic, sendSingly } from "./send-batch.js";
import type { WriterParts } from "./writer-parts.js";

/** Writes operations to the candidate in as few requests as the device supports. */
export class Batches implements Writes {
  readonly #parts: WriterParts;
  /** Set if the device did not know `multi-config`. */
  #singly = false;

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /**
   * Writes one transaction if the device supports that, otherwise one request per operation. The transaction is strict only if the
   * administrator has no pending changes, because a strict one reverts them.
   */
  async write(batch: readonly Operation[], pending?: readonly PendingChange[]): Promise<void> {
    if (batch.length === 0) return;
    const { session, dependencies } = this.#parts;
    const { client, capabilities } = await session.current();
    if (capabilities.atomicBatch && !this.#singly) {
      const { wrote } = this.#parts;
      const strict = !wrote && (await this.#nothingOwnPending(pending));
      this.#parts.wrote = true;
      try {
        if (await sendAtomic(client, batch, strict)) return;
      } catch (error) {
        // The device changed nothing, so the next batch may still be strict.
        if (error instanceof PlumblineError && error.code === "device-busy") this.#parts.wrote = wrote;
        throw error;
      }
      this.#singly = true;
      dependencies.logger.warn(
        { target: client.place.target },
        "the device does not take several operations as one: they are sent one by one",
      );
    }
    this.#parts.wrote = true;
    await sendSingly(client, batch);
  }

  async #nothingOwnPending(listed: readonly PendingChange[] | undefined): Promise<boolean> {
    const session = await this.#parts.session.current();
    if (!session.capabilities.changeList) return false;
    const pending = listed ?? (await readPending(session));
    if (pending.length === 0) return true;
    const administrator = await this.#parts.name.sure();
    return pending.every(({ owner }) => owner !== administrator);
  }
}
