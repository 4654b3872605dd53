import { PlumblineError } from "../../errors.js";
import type { TreeNode } from "../node.js";
import { parseXml } from "./parse.js";

/** Parses the document of a file. Errors contain the file name. */
export function parseXmlFile(file: string, bytes: Buffer): TreeNode {
  try {
    return parseXml(bytes);
  } catch (error) {
    if (!(error instanceof PlumblineError)) throw error;
    const { code, message, where, next, severity } = error;
    throw new PlumblineError(code, message, { where: { ...where, file }, next, severity, cause: error });
  }
}
