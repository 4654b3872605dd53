// The command that is measured, and what it is measured in.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** PLUMBLINE_CLI is the command as people install it; without it `dist` is run, which opens a file for each source. */
export const command = resolve(process.env.PLUMBLINE_CLI ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url)));

/** More authorities to trust cost every start of Node 40 ms, the bare one's too, which makes all multiples small. */
export const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== "NODE_EXTRA_CA_CERTS"));
