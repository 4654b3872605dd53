import type { Configuration } from "../desired/configuration/configuration.js";
import type { CommitIndex } from "./commit-index.js";
import type { EventStream, Listener } from "./events.js";

export interface RemovedTargetsOptions {
  readonly source: { readonly inForce: Pick<CommitIndex, "commit" | "configuration"> | undefined };
  readonly find: (configuration: Configuration) => Promise<readonly string[]>;
  readonly events: Pick<EventStream, "emit">;
}

/**
 * Returns a listener that reports targets which left the configuration, for each active commit. It repeats the report only when it
 * changes, and an empty list is reported once. An error of the ledger store is part of the report.
 */
export function removedTargetsListener({ source, find, events }: RemovedTargetsOptions): Listener {
  let seen: string | undefined;
  let reported = "";
  return async ({ type }) => {
    const { inForce } = source;
    if ((type !== "commit-in-force" && type !== "source-fetched") || inForce === undefined || inForce.commit === seen) return;
    seen = inForce.commit;
    const warnings = await find(inForce.configuration).catch((error: unknown) => [
      `targets that left the configuration are not known: ${error instanceof Error ? error.message : String(error)}`,
    ]);
    if (warnings.join("\n") === reported) return;
    reported = warnings.join("\n");
    await events.emit({ type: "targets-departed", commit: inForce.commit, warnings });
  };
}
