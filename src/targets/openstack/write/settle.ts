import { PlumblineError } from "../../../core/errors.js";
import type { Progress } from "../../../engine/write-target.js";
import type { ListName } from "../objects/kinds.js";
import type { WriteContext } from "./context.js";
import { explainCloudError } from "./explain-error.js";
import { settleServers } from "./settle-servers.js";

/** Waits for new servers, then performs the postponed operations. Resolves with the failures. */
export async function settle(context: WriteContext, progress: Progress): Promise<readonly PlumblineError[]> {
  const failures = [...(await settleServers(context, progress))];
  for (const [path, attempt] of context.postponed) {
    context.postponed.delete(path);
    try {
      await attempt(progress);
    } catch (error) {
      const explained = await explainCloudError(
        error,
        { list: (path.parent?.tag ?? "") as ListName, path, id: undefined, isMade: true },
        context,
      );
      if (!(explained instanceof PlumblineError)) throw explained;
      failures.push(explained);
    }
  }
  return failures;
}
