import { packageFile } from "./package-file.js";

/** The version in `package.json`. */
export const version: string = (JSON.parse(packageFile("package.json")) as { version: string }).version;
