import { hideSecrets } from "../../../core/hide-secrets.js";
import type { DeviceReply } from "./reply.js";

/** Replaces secrets of the request with their labels, if the device's message repeats them. */
export function hideSent(reply: DeviceReply, sent: readonly unknown[]): DeviceReply {
  return { ...reply, lines: reply.lines.map((line) => hideSecrets(line, sent)) };
}
