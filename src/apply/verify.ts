import { PlumblineError } from "../errors.js";
import type { TargetContext } from "../pass/context.js";
import type { Identity } from "../target.js";
import { holdsLock } from "./lock.js";
import { foreignText, pendingNow, type Session } from "./session.js";

/** @throws PlumblineError `identity-mismatch` when another box answers than the configuration names. */
export function refuseOtherBox(identity: Identity, { configuration, name }: TargetContext): void {
  if (configuration.kind !== "panos") return;
  const { serial, model } = configuration.identity;
  const wrong =
    serial !== undefined && serial !== identity.serial ? "serial" : model !== undefined && model !== identity.model ? "model" : undefined;
  if (wrong === undefined) return;
  throw new PlumblineError(
    "identity-mismatch",
    `${configuration.url} answers as ${wrong} ${identity[wrong] ?? "unknown"}, not ${configuration.identity[wrong]}`,
    {
      where: { target: name },
      next: "Correct `url` or `identity` of the target: a policy must never reach another box.",
      severity: "refused",
    },
  );
}

/** @throws PlumblineError `not-writable` unless the box is alone or the active one of its pair. */
export function refusePassiveBox(identity: Identity, target: string): void {
  if (identity.role === "standalone" || identity.role === "active") return;
  throw new PlumblineError("not-writable", `The role of ${identity.serial ?? "the box"} is ${identity.role}`, {
    where: { target },
    next: "Name both peers of the pair (`url` and `peers`), and see that one of them is active.",
    severity: "refused",
  });
}

/**
 * Before the first write and before the commit: still the same active box, and still our lock.
 * @throws PlumblineError `failover`, `not-writable`, `lock-lost`
 */
export async function verifyStanding(session: Session): Promise<void> {
  const { target, context, capabilities } = session;
  const { identity } = await target.open();
  refuseOtherBox(identity, context);
  refusePassiveBox(identity, target.name);
  if (identity.serial !== session.identity.serial) {
    throw new PlumblineError(
      "failover",
      `${identity.serial ?? "Another box"} answers now, ${session.identity.serial ?? "another"} did before`,
      {
        where: { target: target.name },
        next: "Run again: the plan is then made for the box that is active now.",
      },
    );
  }
  if (capabilities.locks && !(await holdsLock(target, session.run))) {
    throw new PlumblineError("lock-lost", "Our configuration lock is gone", {
      where: { target: target.name },
      next: "Find out who removed it, then run again.",
    });
  }
}

/** @throws PlumblineError `foreign-change` (refused) when others have new uncommitted work that our commit could carry. */
export async function refuseNewForeignChanges(session: Session): Promise<void> {
  if (foreignText(await pendingNow(session), session.administrator) === session.undo.foreign) return;
  throw new PlumblineError("foreign-change", "Somebody else began to change the target while we were writing", {
    where: { target: session.target.name },
    next: "Run again when they have committed or reverted their work.",
    severity: "refused",
  });
}
