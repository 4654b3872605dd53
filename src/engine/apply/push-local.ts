import { groupBy } from "../../core/group-by.js";
import { type InTheWay, inTheWayWords, type ManagedFirewall } from "../../outcome/managed-firewalls.js";
import { asPlumblineError } from "./errors.js";
import { pushFailure } from "./push-results.js";
import type { PushWork } from "./push-work.js";

/** Maximum number of local objects of firewalls that a push lists in its warnings. */
const MOST_LISTED = 20;

/**
 * Reads the local configuration of the firewalls before the push. A name or a lock that would make a firewall refuse stops the push.
 * Objects that would hide pushed ones are only reported.
 * @throws PlumblineError `push-refused`
 */
export async function refuseInTheWay(work: PushWork, late: readonly ManagedFirewall[]): Promise<void> {
  const { session, managed } = work;
  if (session.context.configuration.push?.arrival === "manager") return;
  const found = await managed.local(late).catch((error: unknown): undefined => {
    session.warnings.push(`the local configuration of the firewalls is unknown: ${asPlumblineError(error, session.target.name).message}`);
  });
  const all = found ?? [];
  const refusing = all.filter(refuses);
  if (refusing.length > 0) {
    const rows = [...groupBy(refusing, ({ serial }) => serial)].map(([serial, own]) => {
      const lines = own.map(inTheWayWords).join("; ");
      return { serial, job: "", result: "failed" as const, lines: [lines] };
    });
    throw pushFailure(work, "push-refused", "would refuse the push", rows, session.progress.commits > 0 ? "partial" : "error");
  }
  session.warnings.push(...all.slice(0, MOST_LISTED).map(inTheWayWords));
  if (all.length > MOST_LISTED) session.warnings.push(`${all.length - MOST_LISTED} more of the firewalls' own are in the way`);
}

function refuses({ kind }: InTheWay): boolean {
  return kind === "name" || kind === "lock";
}
