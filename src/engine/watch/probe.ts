import { isIPv6 } from "node:net";
import type { Probe } from "../../desired/checks.js";
import type { ApplySession } from "../apply/apply-session.js";
import { type ProbeNetwork, thisNetwork } from "./probe-network.js";

/** Milliseconds between two attempts. */
const PAUSE = 2000;

/** Tries probes side by side; each gives why it failed, or undefined. */
export async function runProbes(
  { write, context }: Pick<ApplySession, "context" | "write">,
  probes: readonly Probe[],
): Promise<readonly (string | undefined)[]> {
  const { network = thisNetwork, sleep } = write;
  return await Promise.all(probes.map((probe) => runProbe(probe, network, sleep, context.options.stop)));
}

/**
 * Runs a probe until it succeeds, its attempts are used up, or `stop` is aborted. Resolves to the reason of the failure, or undefined.
 * @internal Exported for its test.
 */
export async function runProbe(
  probe: Probe,
  network: ProbeNetwork,
  sleep: (milliseconds: number) => Promise<void>,
  stop?: AbortSignal,
): Promise<string | undefined> {
  let why: string | undefined;
  for (let attempt = 1; attempt <= probe.attempts; attempt++) {
    if (attempt > 1) await unlessStopped(sleep(PAUSE), stop);
    if (stop?.aborted === true) return STOPPED;
    why = await unlessStopped(attemptOf(probe, network, stop), stop).catch((error: unknown) =>
      error instanceof Error ? error.message || error.name : String(error),
    );
    if (why === undefined) return undefined;
  }
  return `${wordsOf(probe)} failed ${probe.attempts === 1 ? "" : `${probe.attempts} times `}(${why})`;
}

const STOPPED = "the run was stopped";

/** Ends the wait for an unresponsive host after ctrl-C. */
async function unlessStopped<T>(work: Promise<T>, stop: AbortSignal | undefined): Promise<T | string> {
  if (stop === undefined) return work;
  let end = (): void => undefined;
  const stopped = new Promise<string>((resolve) => {
    end = () => resolve(STOPPED);
    stop.addEventListener("abort", end, { once: true });
    if (stop.aborted) end();
  });
  return await Promise.race([work, stopped]).finally(() => stop.removeEventListener("abort", end));
}

async function attemptOf(probe: Probe, network: ProbeNetwork, stop: AbortSignal | undefined): Promise<string | undefined> {
  const timeout = probe.timeout * 1000;
  switch (probe.kind) {
    case "tcp":
      await network.tcp(probe.host, probe.port, timeout, stop);
      return undefined;
    case "http": {
      const status = await network.http(probe.url, timeout, stop);
      return status === probe.status ? undefined : `status ${status}, not ${probe.status}`;
    }
    case "dns": {
      const found = await network.dns(probe.name, probe.server, timeout, stop);
      if (probe.expect === undefined) return found.length > 0 ? undefined : "no address";
      return found.some((address) => canonical(address) === canonical(probe.expect ?? ""))
        ? undefined
        : `${found.join(", ") || "no address"}, not ${probe.expect}`;
    }
  }
}

function wordsOf(probe: Probe): string {
  switch (probe.kind) {
    case "tcp":
      return `the probe of ${probe.host} port ${probe.port}`;
    case "http":
      return `the probe of ${probe.url}`;
    case "dns":
      return `the probe of the name ${probe.name}`;
  }
}

/** `2001:DB8::0:1` and `2001:db8::1` are one address. */
function canonical(address: string): string {
  return isIPv6(address) ? new URL(`http://[${address}]/`).hostname : address;
}
