import { realpathSync } from "node:fs";
import { relative } from "node:path";
import type { Checkout } from "../checkout.js";

/** The desired state's folder from the root of the working tree, with forward slashes; undefined outside git, and where it is gone. */
export function folderIn({ root, folder }: Checkout): string | undefined {
  if (root === undefined) return undefined;
  try {
    return relative(realpathSync(root), realpathSync(folder)).replaceAll("\\", "/");
  } catch (error) {
    // An agent makes a damaged clone anew while a pass is under way: what was loaded of it stands.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
