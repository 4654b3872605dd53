import type { SecretValue } from "../../../core/secret.js";
import type { DeviceReply } from "../client/reply.js";

/** Shorter secrets would be found in words that hold none. */
const SHORTEST = 4;

/**
 * Devices quote what they refuse. A value that this very request revealed is put back behind its label, wherever the
 * device's words repeat it.
 */
export function hideSecrets(reply: DeviceReply, secrets: readonly SecretValue[]): DeviceReply {
  if (secrets.length === 0) return reply;
  return { ...reply, lines: reply.lines.map((line) => secrets.reduce(hide, line)) };
}

function hide(line: string, secret: SecretValue): string {
  const value = secret.reveal().trim();
  return value.length < SHORTEST ? line : line.replaceAll(value, secret.label);
}
