// The measured command and its environment.
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** PLUMBLINE_CLI names the installed command. The default is `dist`, which opens one file for each source. */
export const command = resolve(process.env.PLUMBLINE_CLI ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url)));

/** Additional certificate authorities add 40 ms to every start of Node, also to the baseline, which would make all ratios smaller. */
export const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== "NODE_EXTRA_CA_CERTS"));
