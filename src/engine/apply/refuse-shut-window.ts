import { PlumblineError } from "../../core/errors.js";
import type { TargetContext } from "../pass/context.js";

const GUARD = "window";

/**
 * Refuses to write outside the change windows of plumbline.yaml. Windows apply to every runner; `--allow window` overrides them once.
 * Called before a run takes a lock and right before its first write. A commit that began in time, and a rollback, are completed.
 * @throws PlumblineError `window-shut` (refused), `window-invalid`
 */
export async function refuseShutWindow({ windows, name, options }: TargetContext, warnings: string[]): Promise<void> {
  if (windows.length === 0) return;
  // The parser for cron text is a separate package that few runs need.
  const { Windows } = await import("../change-windows.js");
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
