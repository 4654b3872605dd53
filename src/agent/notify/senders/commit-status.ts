import { PlumblineError } from "../../../core/errors.js";
import type { CodeHost } from "../../../pull-request/host.js";
import type { Sender } from "../channel.js";

/** Sets commit statuses at the code host: `plumbline` for the load of the commit, `plumbline/TARGET` for its result on a target. */
export function commitStatusSender(open: () => Promise<Pick<CodeHost, "setStatus">>): Sender {
  return async (news) => {
    const host = await open();
    for (const noticeState of news) {
      if (noticeState.audience !== "commit") continue;
      const { commit, target, state, description } = noticeState.news;
      const context = target === undefined ? "plumbline" : `plumbline/${target}`;
      try {
        await host.setStatus(commit, { context, state, description });
      } catch (error) {
        // A retry does not help if the host does not have the commit. A wrong token may be corrected, so that is retried.
        if (error instanceof PlumblineError && (error.code === "code-host-not-found" || error.code === "code-host-refused")) continue;
        throw error;
      }
    }
  };
}
