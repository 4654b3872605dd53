import { createHash } from "node:crypto";

/**
 * The uuid that an object of ours is made under: the same on every machine and in every run, so that a create that is
 * repeated cannot make a second one. A hash in the form of version 4, which the controller asks for.
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
