import { realpathSync } from "node:fs";
import { relative } from "node:path";
import type { Checkout } from "../checkout.js";

/** The desired state's folder from the root of the working tree, with forward slashes; undefined outside git. */
export function folderIn({ root, folder }: Checkout): string | undefined {
  if (root === undefined) return undefined;
  return relative(realpathSync(root), realpathSync(folder)).replaceAll("\\", "/");
}
