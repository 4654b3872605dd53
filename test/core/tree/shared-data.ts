import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { leaveOut } from "../../left-out.js";

const folder = fileURLToPath(new URL("../../../../shared/data/panos/", import.meta.url));

/** Configurations of real devices next to the checkout. Without them the tests that need them are skipped and reported. */
export const sharedConfigurations: readonly string[] = existsSync(folder)
  ? readdirSync(folder)
      .filter((name) => name.endsWith(".xml"))
      .map((name) => folder + name)
  : [];

if (sharedConfigurations.length === 0) leaveOut(`configurations of real devices: none in ${folder}`);
