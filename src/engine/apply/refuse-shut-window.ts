import { PlumblineError } from "../../core/errors.js";
import type { TargetContext } from "../pass/context.js";

const GUARD = "window";

/**
 * Windows of plumbline.yaml bind every runner, and `--allow window` passes once. Asked before a run takes a lock and right before
 * its first write; a commit that was begun in time, and one that is taken back, are brought to their end.
 * @throws PlumblineError `window-shut` (refused), `window-invalid`
 */
export async function refuseShutWindow({ windows, name, options }: TargetContext, warnings: string[]): Promise<void> {
  if (windows.length === 0) return;
  // What cron text means is a package of its own, which few runs need.
  const { Windows } = await import("../windows.js");
  const opening = new Windows(windows).at(name, options.machine.now());
  if (opening.open) return;
  if (options.allow.has(GUARD)) {
    const told = `outside the change window, passed by --allow ${GUARD}: ${opening.reason}`;
    if (!warnings.includes(told)) warnings.push(told);
    return;
  }
  const until = opening.until === undefined ? "" : `, until ${new Date(opening.until).toISOString()}`;
  throw new PlumblineError("window-shut", `${GUARD}: ${opening.reason}${until}`, {
    where: { target: name },
    next: `Wait, or pass --allow ${GUARD}, which writes outside the window once.`,
    severity: "refused",
  });
}
