import { printable } from "../../core/printable.js";
import { reasonsNotInSync } from "../../outcome/in-sync.js";
import type { AgentEvent } from "../events.js";
import type { CommitNews, NoticeState } from "./notice.js";

/**
 * Reports the result of each commit on its targets, for statuses at the code host. A success on a target is final: later drift does not
 * come from the commit.
 */
export class CommitFate {
  /** Last commit of each target. `isOld`: the commit was already active when the agent started. */
  readonly #touched = new Map<string, { readonly commit: string; readonly isOld: boolean }>();

  see(event: AgentEvent): NoticeState[] {
    switch (event.type) {
      case "commit-in-force": {
        const { commit, previous, targets } = event;
        for (const target of targets) this.#touched.set(target, { commit, isOld: previous === undefined });
        const touched = targets.length === 1 ? "touches 1 target" : `touches ${targets.length} targets`;
        return [stateOf({ commit, target: undefined, state: "success", description: `active, ${touched}` }, false)];
      }
      case "commit-refused":
        return [stateOf({ commit: event.commit, target: undefined, state: "failure", description: event.error.message }, false)];
      case "commit-broken": {
        const [first] = event.errors;
        const description = `${event.errors.length} errors, the first: ${first?.message ?? ""}`;
        return [stateOf({ commit: event.commit, target: undefined, state: "failure", description }, false)];
      }
      case "pass-ended":
        return this.#afterPass(event);
      case "held":
        return this.#of(event.target, "pending", `${event.reason}: ${event.message}`);
      default:
        return [];
    }
  }

  #afterPass({ target, result, outcome, drift, waiting }: Extract<AgentEvent, { type: "pass-ended" }>): NoticeState[] {
    if (waiting !== undefined) return [];
    const [first] = outcome === undefined ? [] : reasonsNotInSync(outcome);
    const message = outcome?.error?.message ?? first?.message ?? result;
    const open = first?.message;
    const isDone = result === "in-sync" || result === "applied" || result === "pending";
    if (isDone && open !== undefined) return this.#of(target, "pending", open);
    switch (result) {
      case "in-sync":
        return this.#of(target, "success", "in sync");
      case "applied":
        return this.#of(target, "success", `applied ${outcome?.applied?.operations ?? 0} operations, verified`);
      case "drifted":
        return this.#of(target, "pending", `${drift.length} to be made equal`);
      case "refused":
        return this.#of(target, "failure", `refused: ${message}`);
      case "failed":
        return this.#of(target, "failure", `failed: ${message}`);
      default:
        return [];
    }
  }

  #of(target: string, state: CommitNews["state"], description: string): NoticeState[] {
    const touched = this.#touched.get(target);
    return touched === undefined ? [] : [stateOf({ commit: touched.commit, target, state, description }, touched.isOld)];
  }
}

/** `isOld`: an earlier commit may have touched the target last. In that case only the commit that was reported last is updated. */
function stateOf(news: CommitNews, isOld: boolean): NoticeState {
  const { commit, target, state, description } = news;
  return {
    audience: "commit",
    subject: target === undefined ? "commit" : `commit ${target}`,
    state: `${commit} ${state} ${description}`,
    isUsual: false,
    news: { ...news, description: printable(description) },
    isSettledBy: (last) => (target !== undefined && last.startsWith(`${commit} success`)) || (isOld && !last.startsWith(commit)),
  };
}
