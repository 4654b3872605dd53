import type { PendingChange } from "../../plan/platform.js";
import { childOf, type DeviceReply, descend, textOf } from "./client/reply.js";

/** Parses the journal of uncommitted changes. */
export function pendingIn({ result }: DeviceReply): readonly PendingChange[] {
  const entries = descend(result, "journal")?.children ?? [];
  return entries
    .filter((entry) => entry.tag === "entry")
    .map((entry) => ({
      owner: textOf(childOf(entry, "owner")),
      xpath: textOf(childOf(entry, "xpath")),
      action: textOf(childOf(entry, "action")),
    }));
}
