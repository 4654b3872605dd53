import { randomBytes as systemBytes } from "node:crypto";

export * from "node:crypto";

import { running } from "../running.js";

/** Random values of a simulated process come from the seed. Before the first history they come from the system. */
export function randomBytes(length: number): Buffer {
  try {
    return Buffer.from(running().random(length), "hex");
  } catch {
    return systemBytes(length);
  }
}
