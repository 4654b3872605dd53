import type { ManagedFirewall, ManagedFirewalls } from "../outcome/managed-firewalls.js";
import { type ManagerReader, readManagedFirewalls } from "./absences.js";
import { asPlumblineError } from "./apply/errors.js";
import type { Live } from "./live.js";
import type { ReadTarget } from "./target.js";

/**
 * Returns the state of the firewalls that `live` reaches, or of all. Undefined if the target has no firewalls, or `firewalls: ignore` is
 * set. A failed read is part of the result. `known`: rows that were just read.
 */
export async function managedFirewalls(
  target: ReadTarget,
  looker: ManagerReader,
  live?: Live,
  known?: readonly ManagedFirewall[],
): Promise<ManagedFirewalls | undefined> {
  const { firewalls: wish = "tell" } = looker.configuration;
  if (target.managed === undefined || wish === "ignore") return undefined;
  const watched = wish === "watch" || wish === "verify";
  try {
    const rows = known ?? (await readManagedFirewalls(target.managed, looker, live));
    if (rows === undefined || rows.length === 0) return undefined;
    if (wish !== "verify") return { watched, rows };
    const [verified, inTheWay] = await Promise.all([target.managed.verify(rows), target.managed.local(rows)]);
    return { watched, rows: verified, inTheWay };
  } catch (error) {
    return { watched, rows: [], failure: asPlumblineError(error, target.name).message };
  }
}

/** Adds the pushes that are running, by any administrator. */
export async function withPushes(
  { managed, name }: ReadTarget,
  known: ManagedFirewalls | undefined,
): Promise<ManagedFirewalls | undefined> {
  if (managed === undefined || known === undefined || known.failure !== undefined) return known;
  try {
    return { ...known, pushes: await managed.pushes() };
  } catch (error) {
    return { ...known, pushFailure: asPlumblineError(error, name).message };
  }
}
