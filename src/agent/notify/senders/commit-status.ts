import { PlumblineError } from "../../../core/errors.js";
import type { CodeHost } from "../../../pull-request/host.js";
import type { Sender } from "../channel.js";

/** Marks commits at the code host: `plumbline` for whether it loads, `plumbline/TARGET` for what became of it there. */
export function commitStatusSender(open: () => Promise<Pick<CodeHost, "setStatus">>): Sender {
  return async (news) => {
    const host = await open();
    for (const standing of news) {
      if (standing.audience !== "commit") continue;
      const { commit, target, state, description } = standing.news;
      const context = target === undefined ? "plumbline" : `plumbline/${target}`;
      try {
        await host.setStatus(commit, { context, state, description });
      } catch (error) {
        // A commit that the host does not have (any more) will not come back; a wrong token may be corrected.
        if (error instanceof PlumblineError && (error.code === "code-host-not-found" || error.code === "code-host-refused")) continue;
        throw error;
      }
    }
  };
}
