import { hideSecrets } from "../../../core/hide-secrets.js";
import type { DeviceReply } from "./reply.js";

/** The reply with the labels of secrets where the device's words repeat what this very request revealed. */
export function hideSent(reply: DeviceReply, sent: readonly unknown[]): DeviceReply {
  return { ...reply, lines: reply.lines.map((line) => hideSecrets(line, sent)) };
}
