import type { Path } from "../core/tree/path.js";
import type { Refusal } from "../plan/model.js";
import type { LiveFacts } from "./context.js";

/** Name of the guard. */
export const FOREIGN_PENDING = "foreign-pending";

const ALLOW = `--allow ${FOREIGN_PENDING}`;

/** Refuses a commit that would include or overwrite uncommitted work whose author the device does not report. */
export function refuseForeignPending({ unlisted: { areUnreadable, included, overwritten } }: LiveFacts): Refusal[] {
  if (areUnreadable) return [unreadable()];
  return [
    ...included.map((path) => refusal(path, "would be committed too")),
    ...overwritten.map((path) => refusal(path, "would be written over by this plan")),
  ];
}

function refusal(path: Path, fate: string): Refusal {
  const message = `An uncommitted change ${fate}, because this target does not report its author: ${path}. Have it committed or reverted first.`;
  return { guard: FOREIGN_PENDING, message, path, allow: ALLOW };
}

function unreadable(): Refusal {
  const message =
    "This target neither lists uncommitted changes nor shows its running configuration: a commit would include the uncommitted work of others. Set blindCommit: true if no other administrator writes to it.";
  return { guard: FOREIGN_PENDING, message, path: undefined, allow: ALLOW };
}
