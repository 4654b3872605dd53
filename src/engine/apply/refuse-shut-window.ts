import { PlumblineError } from "../../core/errors.js";
import { refusalsOf } from "../../guards/guard.js";
import { GUARDS } from "../../guards/registry.js";
import { WINDOW } from "../../guards/window.js";
import type { TargetContext } from "../pass/context.js";

/**
 * Refuses to write outside the change windows of plumbline.yaml. Windows apply to every runner; `--allow window` overrides them once.
 * Called before a run takes a lock and right before its first write. A commit that began in time, and a rollback, are completed.
 * @throws PlumblineError `window-shut` (refused), `window-invalid`
 */
export async function refuseShutWindow({ name, options, settings: { windows } }: TargetContext, warnings: string[]): Promise<void> {
  if (windows.length === 0) return;
  // The parser for cron text is a separate package that few runs need.
  const { Windows } = await import("../change-windows.js");
  const opening = new Windows(windows).at(name, options.machine.now());
  if (opening.open) return;
  const { reason, until } = opening;
  const [refusal] = refusalsOf(GUARDS.write, { reason, until, isAllowed: options.overrides.allow.has(WINDOW) });
  if (refusal === undefined) {
    const warning = `outside the change window, passed by --allow ${WINDOW}: ${reason}`;
    if (!warnings.includes(warning)) warnings.push(warning);
    return;
  }
  throw new PlumblineError("window-shut", `${refusal.guard}: ${refusal.message}`, {
    where: { target: name },
    next: `Wait, or pass ${refusal.allow}, which writes outside the window once.`,
    severity: "refused",
  });
}
