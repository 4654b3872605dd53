import { targetView } from "../../report/json.js";
import type { Controls } from "./controls.js";
import { seconds } from "./fleet-row.js";
import type { AuditView } from "./view.js";

/** Minimum milliseconds between two reads of the services, for all users together. */
const FRESH = 5 * 60_000;

/** Caches the last audit. Starts a new one on request if the last one is too old. */
export class Audits {
  readonly #controls: Pick<Controls, "audit">;
  readonly #now: () => number;
  #last: { readonly at: number; readonly view: Promise<AuditView> } | undefined;

  constructor(controls: Pick<Controls, "audit">, now: () => number) {
    this.#controls = controls;
    this.#now = now;
  }

  async view(): Promise<AuditView> {
    const now = this.#now();
    if (this.#last === undefined || now - this.#last.at > FRESH) {
      const view = this.#read(now);
      this.#last = { at: now, view };
      view.catch(() => {
        this.#last = undefined;
      });
    }
    return await this.#last.view;
  }

  async #read(now: number): Promise<AuditView> {
    const outcomes = await this.#controls.audit();
    return auditView(outcomes, now);
  }
}

export function auditView(outcomes: Awaited<ReturnType<Controls["audit"]>>, now: number): AuditView {
  const results = outcomes.map((outcome) => {
    const { target, audit, error } = targetView(outcome);
    return { target, audit, error };
  });
  return { at: seconds(now), results };
}
