import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";
import { leaveOut } from "../../left-out.js";

/** The real services, as reported by `up`. */
export interface RealServices {
  readonly authUrl: string;
  readonly clouds: string;
  /** The `openstack` command of Debian's python-openstackclient. */
  readonly command: string;
  /** The same, loaded once for many commands: `CommandSession`. */
  readonly session: string;
  /** The file of run-time settings. */
  readonly settings: string;
}

export type Services = { readonly real: RealServices } | { readonly missing: string };

declare module "vitest" {
  interface ProvidedContext {
    services: Services;
  }
}

/** The exit status of `up` if the packages are not available. */
const UNOBTAINABLE = 3;

/** Starts the real services unless they run, and stops the ones that it started. */
export default async function (project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env.PLUMBLINE_SUITE === "lab") {
    project.provide("services", { missing: "this half runs on the lab" });
    return undefined;
  }
  const { code, out, err } = await script("up");
  if (code === UNOBTAINABLE) {
    const reason = err.trim().split("\n").at(-1) ?? "";
    leaveOut(`the real OpenStack services, so that the suite runs against the lab alone: ${reason}`);
    project.provide("services", { missing: reason });
    return undefined;
  }
  if (code !== 0) throw new Error(`test/openstack/up failed with ${code}`);
  const { started, ...real } = JSON.parse(out) as RealServices & { readonly started: readonly string[] };
  project.provide("services", { real });
  if (started.length === 0) return undefined;
  return async () => {
    await script("down", ...started);
  };
}

function script(name: "up" | "down", ...words: readonly string[]): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(fileURLToPath(new URL(`../${name}`, import.meta.url)), words, { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let err = "";
    child.stdout.on("data", (data) => {
      out += data;
    });
    child.stderr.on("data", (data) => {
      err += data;
      process.stderr.write(data);
    });
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, out, err }));
  });
}
