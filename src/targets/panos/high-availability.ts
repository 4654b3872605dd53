import type { Identity } from "../../plan/platform.js";
import type { PanosClient } from "./client/client.js";
import { showHighAvailability } from "./client/commands.js";
import { descend, textOf } from "./client/reply.js";

const ROLES: Readonly<Record<string, Identity["role"]>> = {
  active: "active",
  "active-primary": "active",
  passive: "passive",
  "active-secondary": "passive",
  suspended: "suspended",
  // A pair of managers reports the preferred role and the current role of each.
  "primary-active": "active",
  "secondary-active": "active",
  "primary-passive": "passive",
  "secondary-passive": "passive",
  "primary-suspended": "suspended",
  "secondary-suspended": "suspended",
};

export interface HighAvailability {
  readonly role: Identity["role"];
  /** Serial number of the other device of the pair, if this device reports it. */
  readonly peerSerial: string | undefined;
  /** Whether the peer runs the same configuration. Undefined if the pair does not report it, or if synchronization is disabled. */
  readonly isSynchronized?: boolean | undefined;
}

/** Reads the role in a high-availability pair. A device that does not know the command, or has the feature disabled, is standalone. */
export async function readHighAvailability(client: PanosClient): Promise<HighAvailability> {
  const reply = await client.runIfSupported(showHighAvailability);
  if (reply === undefined) return { role: "standalone", peerSerial: undefined };
  const { result } = reply;
  if (textOf(descend(result, "enabled")) === "no") return { role: "standalone", peerSerial: undefined };
  // Firewalls reply with a group element, managers without.
  const pair = descend(result, "group") ?? result;
  const state = textOf(descend(pair, "local-info", "state")).toLowerCase();
  const peerSerial = textOf(descend(pair, "peer-info", "serial-num"));
  const sync = textOf(descend(pair, "running-sync"));
  const isSynchronized =
    sync === "" || textOf(descend(pair, "running-sync-enabled")) === "no" ? undefined : sync.toLowerCase() === "synchronized";
  return { role: ROLES[state] ?? "unknown", peerSerial: peerSerial === "" ? undefined : peerSerial, isSynchronized };
}
