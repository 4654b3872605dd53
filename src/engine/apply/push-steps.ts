import { groupBy } from "../../core/group-by.js";
import type { ManagedFirewall } from "../../outcome/managed-firewalls.js";
import type { FirewallStep, PushCourse, PushStep } from "../../outcome/push-course.js";
import type { PushWave } from "../../plan/model.js";
import type { PushResult } from "../write-target.js";
import type { PushSession } from "./apply-session.js";
import { formatRun } from "./lock-mark.js";

/** Step of a firewall by the result of its job. */
const AFTER_JOB: Readonly<Record<PushResult["result"], PushStep>> = {
  ok: "pushed",
  failed: "failed",
  missing: "failed",
  unknown: "unknown",
  "not connected": "not connected",
  "not pushed": "waiting",
};

/** Reports the step of each firewall of a push whenever one of them changes. */
export class PushSteps {
  readonly #session: PushSession;
  readonly #isBack: boolean;
  readonly #began: string;
  readonly #steps = new Map<string, FirewallStep>();
  /** Serial numbers of canaries, by wave. */
  readonly #canaries = new Map<number, ReadonlySet<string>>();
  #waves = 0;

  constructor(session: PushSession, isBack: boolean) {
    this.#session = session;
    this.#isBack = isBack;
    this.#began = now(session);
  }

  /** Registers all firewalls that will be pushed to, before the first query. */
  begin(due: readonly ManagedFirewall[], waves: readonly PushWave[]): void {
    const names = new Map(due.map(({ serial, hostname }) => [serial, hostname]));
    this.#waves = waves.length;
    for (const [index, { serials, canary }] of waves.entries()) {
      if (canary) this.#canaries.set(index + 1, new Set(serials));
      for (const serial of serials.filter((each) => names.has(each)))
        this.#steps.set(serial, { serial, hostname: names.get(serial), wave: index + 1, step: "waiting", since: this.#began, job: "" });
    }
    this.at([]);
  }

  at(serials: Iterable<string>, step: PushStep = "waiting", job?: string): void {
    this.#moved([...serials].map((serial) => ({ serial, step, job })));
  }

  /** Records the results of a job. */
  after(results: readonly PushResult[]): void {
    this.#moved(results.map(({ serial, result, job }) => ({ serial, step: AFTER_JOB[result], job })));
  }

  /** Records the state of a wave after its firewalls were verified. */
  arrived(serials: ReadonlySet<string>, rows: readonly ManagedFirewall[]): void {
    const own = groupBy(
      rows.filter(({ serial }) => serials.has(serial) && this.#steps.get(serial)?.step === "pushed"),
      ({ serial }) => serial,
    );
    this.#moved([...own].map(([serial, all]) => ({ serial, step: arrivalIn(all), job: undefined })));
  }

  end(): void {
    if (this.#steps.size > 0) this.#report(now(this.#session));
  }

  #moved(moves: readonly { readonly serial: string; readonly step: PushStep; readonly job: string | undefined }[]): void {
    const since = now(this.#session);
    for (const { serial, step, job } of moves) {
      const known = this.#steps.get(serial);
      if (known !== undefined)
        this.#steps.set(serial, { ...known, ...(known.step === step ? {} : { step, since }), job: job ?? known.job });
    }
    for (const [serial, known] of this.#steps) {
      if (known.step !== "waiting" && known.step !== "waiting for a canary") continue;
      const step = this.#waitsForCanary(known.wave) ? "waiting for a canary" : "waiting";
      if (step !== known.step) this.#steps.set(serial, { ...known, step, since });
    }
    this.#report();
  }

  #waitsForCanary(wave: number): boolean {
    const lacks = (serial: string) => this.#steps.get(serial) !== undefined && this.#steps.get(serial)?.step !== "arrived";
    return [...this.#canaries].some(([number, serials]) => number < wave && [...serials].some(lacks));
  }

  #report(ended?: string): void {
    const {
      context,
      run,
      facts: { administrator },
    } = this.#session;
    const course: PushCourse = {
      run: formatRun(run),
      by: administrator,
      began: this.#began,
      waves: this.#waves,
      firewalls: [...this.#steps.values()],
      isBack: this.#isBack,
      ended,
    };
    context.options.listeners.pushing?.(context.name, course);
  }
}

/** Combines the states of all parts that the firewall was pushed. */
function arrivalIn(rows: readonly ManagedFirewall[]): PushStep {
  const lacks = rows.filter(
    ({ state, handed, lacksOnlyOf }) => lacksOnlyOf === undefined && (state !== "in sync" || (handed?.state ?? "equal") !== "equal"),
  );
  if (lacks.length === 0) return "arrived";
  return lacks.some(({ state, handed }) => state === "out of sync" || handed?.state === "differs") ? "failed" : "unknown";
}

function now({ context }: PushSession): string {
  return new Date(context.options.machine.now()).toISOString();
}
