import type { PlumblineError } from "../core/errors.js";
import type { PageRole } from "../desired/configuration/page-settings.js";
import type { Pause } from "../engine/pause.js";
import type { JudgedAssertion } from "../outcome/assertion.js";
import type { Applied, DriftItem, TargetOutcome } from "../outcome/outcome.js";
import type { PushCourse } from "../outcome/push-course.js";
import type { Refusal } from "../plan/model.js";
import type { EndingIgnore } from "./commit-index.js";
import type { Trigger } from "./store/store.js";

/** What a pass found or did: the word for metrics and notifications. `pending`: a commit is not applied, and nobody changed anything. */
export type PassResult = (typeof PASS_RESULTS)[number];
export const PASS_RESULTS = ["in-sync", "skipped", "drifted", "pending", "applied", "refused", "held", "failed"] as const;

/** What people ask for on the page. */
export type Act = "plan" | "reconcile" | "pause" | "resume" | "approve" | "allow";

/** By the one token for all, a token of one's own, or a provider. */
type SignInKind = "word" | "token" | "provider";

/** A person at the page or its API, as their session or token says. */
interface Acting {
  readonly by: string;
  /** What the provider knows the person by. */
  readonly subject: string | undefined;
  /** Of the client. */
  readonly address: string;
}

/** Why the agent leaves a target alone although there would be something to write. */
export type HoldReason =
  | "mode"
  | "paused"
  | "notices"
  | "ledger"
  | "locked"
  | "window"
  | "heal-guard"
  | "approval"
  | "retrying"
  | "retries-spent"
  | "rollout"
  | "follows"
  | "refused"
  | "store";

/** A drift as the agent remembers it over passes. */
export interface KnownDrift {
  /** The same for the same difference in every pass: target, path and kind of change. */
  readonly key: string;
  readonly item: DriftItem;
  /** Milliseconds since 1970, when a pass first saw it. */
  readonly firstSeen: number;
}

/** A commit that a target has not got. */
export interface Waiting {
  /** What differs because of the commit alone: nobody touched it, and it is no drift. */
  readonly changes: number;
  /** What keeps the target from the commit, `failed` where it failed just now; undefined where it was not tried yet. */
  readonly held: HoldReason | "failed" | undefined;
}

/** One pass over one target, from the moment that it starts. */
export interface PassFacts {
  /** Its number in the store; undefined where the store could not take it, or before a skipped pass was written. */
  readonly pass: number | undefined;
  readonly target: string;
  readonly trigger: Trigger;
  readonly commit: string | undefined;
}

export type Happening =
  | { readonly type: "agent-started"; readonly version: string; readonly source: string; readonly targets: readonly string[] }
  | { readonly type: "agent-stopped"; readonly reason: string }
  /** The remote answered; `commit` is what the branch or tag points to. */
  | { readonly type: "source-fetched"; readonly commit: string; readonly moved: boolean }
  | { readonly type: "source-failed"; readonly error: PlumblineError; readonly failures: number; readonly since: number }
  | { readonly type: "source-recovered"; readonly failures: number; readonly since: number }
  /** The commit does not descend from the one in force. It is taken; what it would delete is refused by its ledger guard. */
  | { readonly type: "source-rewound"; readonly commit: string; readonly previous: string }
  /** Not signed by whom we trust: `inForce` stays. */
  | { readonly type: "commit-refused"; readonly commit: string; readonly inForce: string | undefined; readonly error: PlumblineError }
  /** Does not load: `inForce` stays. */
  | {
      readonly type: "commit-broken";
      readonly commit: string;
      readonly inForce: string | undefined;
      readonly errors: readonly PlumblineError[];
    }
  | {
      readonly type: "commit-in-force";
      readonly commit: string;
      readonly previous: string | undefined;
      readonly author: string | undefined;
      /** Those that are planned at once. */
      readonly targets: readonly string[];
    }
  | ({ readonly type: "pass-started" } & PassFacts)
  | ({
      readonly type: "pass-ended";
      readonly result: PassResult;
      readonly milliseconds: number;
      /** Everything that was found: plan, drift, what was applied, error. Absent where the pass was skipped. */
      readonly outcome: TargetOutcome | undefined;
      /** Drift that stands at the end of the pass. */
      readonly drift: readonly KnownDrift[];
      /** Set where a commit was waiting: the pass says nothing of what becomes of it. */
      readonly waiting?: Waiting | undefined;
    } & PassFacts)
  /** By the rules that stand now: somebody's change by hand, or a commit, made it so. */
  | ({ readonly type: "assertion-changed"; readonly judged: JudgedAssertion } & PassFacts)
  | ({ readonly type: "drift-appeared" } & PassFacts & KnownDrift)
  | ({ readonly type: "drift-changed" } & PassFacts & KnownDrift)
  | ({ readonly type: "drift-resolved"; readonly how: "healed" | "gone" } & PassFacts & KnownDrift)
  /** Guards that hold the plan back; `error` says the same where another check than a guard did. */
  | ({
      readonly type: "plan-refused";
      readonly digest: string;
      readonly refusals: readonly Refusal[];
      readonly error: PlumblineError;
    } & PassFacts)
  | ({ readonly type: "applied"; readonly digest: string; readonly applied: Applied; readonly heals: number } & PassFacts)
  | ({
      readonly type: "apply-failed";
      readonly error: PlumblineError;
      readonly attempt: number;
      /** Milliseconds since 1970; undefined where it is held until git moves. */
      readonly retryAt: number | undefined;
    } & PassFacts)
  /** A firewall of a manager came on in a push, or the push is over. */
  | { readonly type: "push-moved"; readonly target: string; readonly course: PushCourse }
  | {
      readonly type: "held";
      readonly target: string;
      readonly reason: HoldReason;
      readonly message: string;
      readonly until?: number | undefined;
    }
  | { readonly type: "released"; readonly target: string; readonly reason: HoldReason }
  | { readonly type: "paused"; readonly pause: Pause }
  /** `target` undefined: all. */
  | { readonly type: "resumed"; readonly target: string | undefined; readonly why: "command" | "expired" }
  | { readonly type: "heal-guard-tripped"; readonly target: string; readonly drift: KnownDrift; readonly heals: number }
  /** A commit wrote over what somebody had changed and no pass had seen. */
  | ({ readonly type: "written-over"; readonly drift: readonly KnownDrift[] } & PassFacts)
  /** Ignores that end within a day, or have ended; empty where there were some. */
  | {
      readonly type: "ignores-ending";
      readonly target: string;
      readonly ignores: readonly (EndingIgnore & { readonly isOver: boolean })[];
    }
  | {
      readonly type: "rollout-wave";
      readonly commit: string;
      readonly wave: number;
      readonly of: number;
      readonly targets: readonly string[];
    }
  | { readonly type: "rollout-stopped"; readonly commit: string; readonly failed: string; readonly left: readonly string[] }
  | { readonly type: "rollout-ended"; readonly commit: string; readonly targets: number }
  | ({ readonly type: "asked"; readonly act: Act /** Undefined: all. */; readonly target: string | undefined } & Acting)
  /** Somebody asked for what their role does not let them. */
  | ({ readonly type: "act-refused"; readonly role: PageRole; readonly target: string | undefined } & Omit<Acting, "subject">)
  | ({ readonly type: "signed-in" | "signed-out"; readonly how: SignInKind } & Acting)
  | { readonly type: "sign-in-refused"; readonly how: SignInKind; readonly why: string; readonly address: string }
  | { readonly type: "store-failed"; readonly error: PlumblineError }
  | { readonly type: "store-recovered" };

/** Something that the agent saw or did. Secrets in it are `SecretValue`s and print as their label. */
export type AgentEvent = Happening & { /** Milliseconds since 1970. */ readonly time: number };

export type AgentEventType = AgentEvent["type"];

export type Listener = (event: AgentEvent) => void | Promise<void>;

/**
 * Tells every listener of every event, in order. `tell` resolves when all have taken it in; what a listener throws goes
 * to `onFailure` and stops neither the others nor the agent.
 */
export class EventStream {
  readonly #listeners = new Set<Listener>();
  readonly #now: () => number;
  readonly #onFailure: (error: unknown, event: AgentEvent) => void;

  constructor(now: () => number, onFailure: (error: unknown, event: AgentEvent) => void) {
    this.#now = now;
    this.#onFailure = onFailure;
  }

  /** Returns what takes the listener away again. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async tell(happening: Happening): Promise<void> {
    const event: AgentEvent = { ...happening, time: this.#now() };
    await Promise.all([...this.#listeners].map((listener) => this.#tellOne(listener, event)));
  }

  async #tellOne(listener: Listener, event: AgentEvent): Promise<void> {
    try {
      await listener(event);
    } catch (error) {
      this.#onFailure(error, event);
    }
  }
}
