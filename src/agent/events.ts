import type { PlumblineError } from "../core/errors.js";
import type { PageRole } from "../desired/configuration/page-settings.js";
import type { Location } from "../desired/source-map.js";
import type { Pause } from "../engine/pause.js";
import type { JudgedAssertion } from "../outcome/assertion.js";
import type { Applied, DriftItem, TargetOutcome } from "../outcome/outcome.js";
import type { PushCourse } from "../outcome/push-course.js";
import type { Refusal } from "../plan/model.js";
import type { EndingIgnore } from "./commit-index.js";
import type { Trigger } from "./store/store.js";

/** Result of a pass, for metrics and notifications. `pending`: a commit is not applied, and there is no manual change. */
export type PassResult = (typeof PASS_RESULTS)[number];
export const PASS_RESULTS = ["in-sync", "skipped", "drifted", "pending", "applied", "refused", "held", "failed"] as const;

/** Actions of users on the page. */
export type Act = "plan" | "reconcile" | "pause" | "resume" | "approve" | "allow" | "propose";

/** Way to sign in: the shared token, a personal token, or an identity provider. */
type SignInKind = "word" | "token" | "provider";

/** A user of the page or its API, from the session or token. */
interface Acting {
  readonly by: string;
  /** Subject at the identity provider. */
  readonly subject: string | undefined;
  /** Address of the client. */
  readonly address: string;
}

/** Why the agent does not write to a target that has changes. */
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

/** A drift item that the agent tracks over several passes. */
export interface KnownDrift {
  /** Identifies the difference in all passes: target, path and kind of change. */
  readonly key: string;
  readonly item: DriftItem;
  /** When a pass first saw it, in milliseconds since 1970. */
  readonly firstSeen: number;
  /** Where the documents declare the value. Undefined if none does. */
  readonly declaredAt?: Location | undefined;
}

/** A commit that is not applied to a target. */
export interface Waiting {
  /** Number of differences that come from the commit. They are not drift. */
  readonly changes: number;
  /** Why the commit is not applied. `failed`: it failed in this pass. Undefined: not tried yet. */
  readonly held: HoldReason | "failed" | undefined;
}

/** Facts about a pass that are known when it starts. */
export interface PassFacts {
  /** Number of the pass in the store. Undefined if the store failed, or before a skipped pass is written. */
  readonly pass: number | undefined;
  readonly target: string;
  readonly trigger: Trigger;
  readonly commit: string | undefined;
}

export type Happening =
  | { readonly type: "agent-started"; readonly version: string; readonly source: string; readonly targets: readonly string[] }
  | { readonly type: "agent-stopped"; readonly reason: string }
  /** The remote answered. `commit` is the commit of the branch or tag. */
  | { readonly type: "source-fetched"; readonly commit: string; readonly moved: boolean }
  | { readonly type: "source-failed"; readonly error: PlumblineError; readonly failures: number; readonly since: number }
  | { readonly type: "source-recovered"; readonly failures: number; readonly since: number }
  /** The commit does not descend from the current one. It is used, but the ledger guard refuses its deletions. */
  | { readonly type: "source-rewound"; readonly commit: string; readonly previous: string }
  /** The commit has no trusted signature. `inForce` stays. */
  | { readonly type: "commit-refused"; readonly commit: string; readonly inForce: string | undefined; readonly error: PlumblineError }
  /** The commit does not load. `inForce` stays. */
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
      /** Targets that are planned immediately. */
      readonly targets: readonly string[];
    }
  /** Targets that are not in the active commit, while their ledgers list objects. Empty if there are none left. */
  | { readonly type: "targets-departed"; readonly commit: string; readonly warnings: readonly string[] }
  | ({ readonly type: "pass-started" } & PassFacts)
  | ({
      readonly type: "pass-ended";
      readonly result: PassResult;
      readonly milliseconds: number;
      /** Plan, drift, applied changes and error. Undefined if the pass was skipped. */
      readonly outcome: TargetOutcome | undefined;
      /** Drift at the end of the pass. */
      readonly drift: readonly KnownDrift[];
      /** Set if a commit is pending. The pass did not apply it. */
      readonly waiting?: Waiting | undefined;
    } & PassFacts)
  /** The result of an assertion changed, after a manual change or a commit. */
  | ({ readonly type: "assertion-changed"; readonly judged: JudgedAssertion } & PassFacts)
  | ({ readonly type: "drift-appeared" } & PassFacts & KnownDrift)
  | ({ readonly type: "drift-changed" } & PassFacts & KnownDrift)
  | ({ readonly type: "drift-resolved"; readonly how: "healed" | "gone" } & PassFacts & KnownDrift)
  /** Guards block the plan. `error` contains the reason, also if another check than a guard blocked it. */
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
      /** Milliseconds since 1970. Undefined if there is no retry until a new commit. */
      readonly retryAt: number | undefined;
    } & PassFacts)
  /** A firewall advanced in a push, or the push has ended. */
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
  /** `target` is undefined for all targets. */
  | { readonly type: "resumed"; readonly target: string | undefined; readonly why: "command" | "expired" }
  | { readonly type: "heal-guard-tripped"; readonly target: string; readonly drift: KnownDrift; readonly heals: number }
  /** A commit overwrote manual changes that no pass had seen. */
  | ({ readonly type: "written-over"; readonly drift: readonly KnownDrift[] } & PassFacts)
  /** Ignores that end within a day or have ended. Empty if there are none left. */
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
  /** A user requested an action that their role does not permit. */
  | ({ readonly type: "act-refused"; readonly role: PageRole; readonly target: string | undefined } & Omit<Acting, "subject">)
  | ({ readonly type: "signed-in" | "signed-out"; readonly how: SignInKind } & Acting)
  | { readonly type: "sign-in-refused"; readonly how: SignInKind; readonly why: string; readonly address: string }
  | { readonly type: "store-failed"; readonly error: PlumblineError }
  | { readonly type: "store-recovered" };

/** An event of the agent. Secrets in it are `SecretValue`s and print as their label. */
export type AgentEvent = Happening & { /** Milliseconds since 1970. */ readonly time: number };

export type AgentEventType = AgentEvent["type"];

export type Listener = (event: AgentEvent) => void | Promise<void>;

/**
 * Passes every event to every listener, in order. `emit` resolves when all listeners have finished. An error of a listener goes to
 * `onFailure` and stops neither the others nor the agent.
 */
export class EventStream {
  readonly #listeners = new Set<Listener>();
  readonly #now: () => number;
  readonly #onFailure: (error: unknown, event: AgentEvent) => void;

  constructor(now: () => number, onFailure: (error: unknown, event: AgentEvent) => void) {
    this.#now = now;
    this.#onFailure = onFailure;
  }

  /** Returns a function that removes the listener. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async emit(happening: Happening): Promise<void> {
    const event: AgentEvent = { ...happening, time: this.#now() };
    await Promise.all([...this.#listeners].map((listener) => this.#emitTo(listener, event)));
  }

  async #emitTo(listener: Listener, event: AgentEvent): Promise<void> {
    try {
      await listener(event);
    } catch (error) {
      this.#onFailure(error, event);
    }
  }
}
