import { randomBytes as systemBytes } from "node:crypto";

export * from "node:crypto";

import { running } from "../running.js";

/** What a simulated process draws comes from the seed. Before the first history it is the system's. */
export function randomBytes(length: number): Buffer {
  try {
    return Buffer.from(running().random(length), "hex");
  } catch {
    return systemBytes(length);
  }
}
