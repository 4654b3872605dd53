import { groupBy } from "../../core/group-by.js";
import { type InTheWay, inTheWayWords, type ManagedFirewall } from "../../outcome/managed-firewalls.js";
import { asPlumblineError } from "./errors.js";
import { pushFailure } from "./push-results.js";
import type { PushWork } from "./push-work.js";

/** Things of firewalls' own that a push warns of one by one. */
const TOLD = 20;

/**
 * Looks, before anything is sent, what firewalls have of their own: a name or a lock by which one would refuse stops the push, what would
 * hide what it brings is said.
 * @throws PlumblineError `push-refused`
 */
export async function refuseInTheWay(work: PushWork, late: readonly ManagedFirewall[]): Promise<void> {
  const { session, managed } = work;
  if (session.context.configuration.push?.arrival === "manager") return;
  const found = await managed.local(late).catch((error: unknown): undefined => {
    session.warnings.push(`what firewalls have of their own is not known: ${asPlumblineError(error, session.target.name).message}`);
  });
  const all = found ?? [];
  const refusing = all.filter(refuses);
  if (refusing.length > 0) {
    const rows = [...groupBy(refusing, ({ serial }) => serial)].map(([serial, own]) => {
      const lines = own.map(inTheWayWords).join("; ");
      return { serial, job: "", result: "failed" as const, lines: [lines] };
    });
    throw pushFailure(work, "push-refused", "would refuse the push", rows, session.commits > 0 ? "partial" : "error");
  }
  session.warnings.push(...all.slice(0, TOLD).map(inTheWayWords));
  if (all.length > TOLD) session.warnings.push(`${all.length - TOLD} more of the firewalls' own are in the way`);
}

function refuses({ kind }: InTheWay): boolean {
  return kind === "name" || kind === "lock";
}
