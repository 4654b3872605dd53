import { createHash } from "node:crypto";

/**
 * Returns the uuid for a new object. Every machine and run computes the same uuid, so a repeated create cannot create a duplicate. The hash
 * has the form of a version 4 uuid, which the controller requires.
 */
export function objectUuid(owner: string, type: string, name: string): string {
  const digits = createHash("sha256")
    .update(JSON.stringify([owner, type, name]))
    .digest("hex")
    .slice(0, 32)
    .split("");
  digits[12] = "4";
  digits[16] = "89ab"[Number.parseInt(digits[16] ?? "0", 16) % 4] ?? "8";
  const hex = digits.join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
