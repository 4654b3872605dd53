// The command that is measured, and what it is measured in.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** PLUMBLINE_CLI is the command as people install it; without it `dist` is run, which opens a file for each source. */
export const command = resolve(process.env.PLUMBLINE_CLI ?? fileURLToPath(new URL("../dist/cli.js", import.meta.url)));

/** More authorities to trust cost every start of Node 40 ms, the bare one's too, which makes all multiples small. */
export const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== "NODE_EXTRA_CA_CERTS"));

// What runs of the command keep for each other must not hang on what this machine's user has at home.
environment.XDG_CACHE_HOME = mkdtempSync(join(tmpdir(), "bench-cache-"));
process.once("exit", () => rmSync(environment.XDG_CACHE_HOME, { recursive: true, force: true }));
