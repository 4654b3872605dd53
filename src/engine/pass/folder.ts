import { realpathSync } from "node:fs";
import { relative } from "node:path";
import type { Checkout } from "../checkout/checkout.js";

/**
 * Path of the desired state's folder from the root of the working tree, with forward slashes. Undefined outside git and if the folder was
 * deleted.
 */
export function folderIn({ root, folder }: Checkout): string | undefined {
  if (root === undefined) return undefined;
  try {
    return relative(realpathSync(root), realpathSync(folder)).replaceAll("\\", "/");
  } catch (error) {
    // An agent may replace a damaged clone while a pass runs. The loaded state stays valid.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
