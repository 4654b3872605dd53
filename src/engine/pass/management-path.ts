import { isIP } from "node:net";
import { PlumblineError } from "../../core/errors.js";
import type { TargetConfiguration } from "../../desired/configuration/configuration.js";
import type { Capabilities } from "../../plan/platform.js";
import { type Live, readLive } from "../live.js";
import type { ReadTarget } from "../target.js";
import type { TargetContext } from "./context.js";
import type { PlanAndInputs } from "./foreign-pending.js";

/** The first round reads the objects at our address. The second reads the objects that lead to them. */
const ROUNDS = 2;

const NO_RIGHT: ReadonlySet<string> = new Set(["role-not-authorized", "operation-denied"]);

/** IP addresses of a target. Excludes loopback addresses, and host names, which identify no interface of the device. */
export function addressesOf({ url, peers = [] }: TargetConfiguration): string[] {
  const hosts = [...(url === undefined ? [] : [url]), ...peers].map((address) => (URL.canParse(address) ? new URL(address).hostname : ""));
  const addresses = hosts.map((host) => host.replace(/^\[|\]$/g, ""));
  return addresses.filter((address) => isIP(address) !== 0 && !address.startsWith("127.") && address !== "::1");
}

/** Plans again with the additional subtrees that show whether the plan cuts our own path to the target. */
export async function withManagementPath(
  first: PlanAndInputs,
  plan: (live: Live) => Promise<PlanAndInputs>,
  { target, capabilities, context }: { readonly target: ReadTarget; readonly capabilities: Capabilities; readonly context: TargetContext },
): Promise<PlanAndInputs> {
  const { ownPath } = context.kindGuards;
  const addresses = addressesOf(context.configuration);
  if (ownPath === undefined || addresses.length === 0) return first;
  let sides = first;
  for (let round = 0; round < ROUNDS; round++) {
    const { subtrees, candidate } = sides.live;
    const wanted = ownPath.reads(sides.plan.changes, candidate, addresses).filter((path) => !subtrees.some((read) => read.contains(path)));
    if (wanted.length === 0) return sides;
    const others = subtrees.filter((read) => !wanted.some((path) => path.contains(read)));
    const live = await readLive(target, capabilities, [...others, ...wanted]).catch(undefinedIfForeign);
    if (live === undefined) return sides;
    sides = await plan(live);
  }
  return sides;
}

/** A missing read right is ignored: the role of our account does not allow changes there either. */
function undefinedIfForeign(error: unknown): undefined {
  if (error instanceof PlumblineError && NO_RIGHT.has(error.code)) return undefined;
  throw error;
}
