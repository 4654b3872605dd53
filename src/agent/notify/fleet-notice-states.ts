import type { AgentEvent } from "../events.js";
import type { NoticeState } from "./notice.js";
import { beganState, errorLines, listed, short, usual } from "./notice-draft.js";

/** Number of failed fetches before a notice. A remote may be unreachable for a short time. */
const FETCHES = 3;

/** Returns the states in an event that concern all targets: the source, a roll-out, the store. */
export function fleetNoticeStates(event: AgentEvent): NoticeState[] {
  const at = event.time;
  switch (event.type) {
    case "commit-refused":
    case "commit-broken": {
      const { commit, inForce } = event;
      const errors = event.type === "commit-refused" ? [event.error] : event.errors;
      const stays = inForce === undefined ? "No commit is active." : `${short(inForce)} stays active.`;
      const title = `commit ${short(commit)} ${event.type === "commit-refused" ? "is refused" : "does not load"}`;
      const lines = [...listed(errors.map(({ message }) => message)), stays];
      return [
        beganState("source", `${event.type} ${commit}`, {
          topic: "source",
          title,
          lines,
          commit,
          look: "plumbline history --kind commit",
          at,
        }),
      ];
    }
    case "commit-in-force": {
      const { commit, author } = event;
      const title = `commit ${short(commit)} is active`;
      return [
        usual("source", "ok", { topic: "source", title, lines: [], by: author, commit, look: "plumbline history --kind commit", at }),
      ];
    }
    case "source-failed": {
      if (event.failures < FETCHES) return [];
      const lines = [...errorLines(event.error), "Targets are kept at the last good commit."];
      const title = "the repository does not answer";
      return [
        beganState("remote", "away", { topic: "source", title, lines, since: event.since, look: "plumbline history --kind commit", at }),
      ];
    }
    case "source-fetched":
      return [
        usual("remote", "ok", {
          topic: "source",
          title: "the repository is reachable again",
          lines: [],
          look: "plumbline history --kind commit",
          at,
        }),
      ];
    case "rollout-stopped": {
      const { commit, failed, left } = event;
      const title = `the roll-out of ${short(commit)} stopped at ${failed}`;
      const lines = [`${left.length} targets keep their configuration.`];
      return [
        beganState("rollout", `stopped ${commit}`, { topic: "rollout", title, lines, commit, look: `plumbline history ${failed}`, at }),
      ];
    }
    case "rollout-ended": {
      const title = `the roll-out of ${short(event.commit)} came to its end`;
      return [
        usual("rollout", "ok", { topic: "rollout", title, lines: [], commit: event.commit, look: "plumbline history --kind pass", at }),
      ];
    }
    case "store-failed": {
      const lines = [...errorLines(event.error), "Drift checks continue; nothing is applied."];
      return [
        beganState("store", "failed", { topic: "store", title: "the store cannot be written", lines, look: "plumbline history", at }),
      ];
    }
    case "store-recovered":
      return [usual("store", "ok", { topic: "store", title: "the store is writable again", lines: [], look: "plumbline history", at })];
    default:
      return [];
  }
}
