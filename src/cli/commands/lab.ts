import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { PlumblineError } from "../../errors.js";
import { startLab } from "../../lab.js";
import type { Context } from "../context.js";
import type { GlobalOptions } from "../options.js";
import type { Register } from "../register.js";
import { openSession } from "../session.js";

interface Flags extends GlobalOptions {
  readonly from?: string;
  readonly port: number;
  readonly count: number;
  readonly services: string;
  readonly readyFile?: string;
  readonly specOnly: boolean;
}

const number = (least: number, most: number) => (value: string) => {
  const parsed = Number(value);
  if (!Number.isInteger(parsed) || parsed < least || parsed > most)
    throw new InvalidArgumentError(`A whole number from ${least} to ${most}.`);
  return parsed;
};

export const lab: Register = (program, context, finish) => {
  program
    .command("lab")
    .description("serve lab firewalls on loopback, to try and test without a device")
    .option("--from <file>", "a running configuration as XML: a twin of a device")
    .option("--port <port>", "first port; 0 takes a free one", number(0, 65535), 8443)
    .option("--count <n>", "firewalls, on ports that follow each other", number(1, 2000), 1)
    .option("--services <list>", "what to serve", "firewall")
    .option("--ready-file <file>", "written when all ports answer, with ca.pem beside it")
    .option("--spec-only", "know only the calls of the specification", false)
    .action(async (_own: unknown, invoked: Command) => {
      await serve(invoked.optsWithGlobals<Flags>(), context);
      finish(0);
    });
};

async function serve(flags: Flags, context: Context): Promise<void> {
  const unknown = flags.services.split(",").filter((service) => service !== "firewall");
  if (unknown.length > 0) {
    throw new PlumblineError("option-invalid", `The lab has no service "${unknown.join(", ")}".`, {
      next: "Services of this version: firewall.",
    });
  }
  const { paint } = openSession(flags, context);
  const configFile = flags.from === undefined ? {} : { configFile: resolve(context.folder, flags.from) };
  const readyFile =
    flags.readyFile === undefined
      ? join(mkdtempSync(join(tmpdir(), "plumbline-lab-")), "ready.json")
      : resolve(context.folder, flags.readyFile);
  const device = { ...configFile, ...(flags.specOnly ? { capabilities: "spec-only" as const } : {}) };
  const running = await startLab({
    port: flags.port,
    devices: Array.from({ length: flags.count }, () => ({ ...device })),
    readyFile,
  });
  try {
    for (const { name, url } of running.devices) context.stdout.write(`${paint("bold", name)}  ${url}/api/  admin / admin\n`);
    context.stdout.write(`certificate authority  ${join(dirname(readyFile), "ca.pem")}\n${paint("dim", "ctrl-C ends it")}\n`);
    if (!context.stop.aborted) await once(context.stop, "abort");
  } finally {
    await running.close();
  }
}
