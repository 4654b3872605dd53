import type { ManagedFirewall, ManagedFirewalls } from "../outcome/managed-firewalls.js";
import { askManaged, type Looker } from "./absences.js";
import { asPlumblineError } from "./apply/errors.js";
import type { Live } from "./live.js";
import type { ReadTarget } from "./target.js";

/**
 * What the target says of the firewalls that what was read reaches, or of all; undefined where it has none, or nobody wants to
 * know. Not being able to say it stops nothing, and is not taken for well where they are watched. `known`: what the manager said a moment ago.
 */
export async function managedFirewalls(
  target: ReadTarget,
  looker: Looker,
  live?: Live,
  known?: readonly ManagedFirewall[],
): Promise<ManagedFirewalls | undefined> {
  const { firewalls: wish = "tell" } = looker.configuration;
  if (target.managed === undefined || wish === "ignore") return undefined;
  const watched = wish === "watch" || wish === "verify";
  try {
    const rows = known ?? (await askManaged(target.managed, looker, live));
    if (rows === undefined || rows.length === 0) return undefined;
    if (wish !== "verify") return { watched, rows };
    const [verified, inTheWay] = await Promise.all([target.managed.verify(rows), target.managed.local(rows)]);
    return { watched, rows: verified, inTheWay };
  } catch (error) {
    return { watched, rows: [], failure: asPlumblineError(error, target.name).message };
  }
}

/** With the pushes that are under way, anybody's: of a manager that tells of its firewalls. */
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
