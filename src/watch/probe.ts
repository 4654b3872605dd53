import type { Probe } from "../desired/checks.js";
import type { Network } from "./network.js";

/** Milliseconds between two attempts. */
const PAUSE = 2000;

/** Tries a probe until it succeeds or its attempts are used up. Resolves to why it failed, or undefined. */
export async function runProbe(
  probe: Probe,
  network: Network,
  sleep: (milliseconds: number) => Promise<void>,
): Promise<string | undefined> {
  let why: string | undefined;
  for (let attempt = 1; attempt <= probe.attempts; attempt++) {
    if (attempt > 1) await sleep(PAUSE);
    why = await attemptOf(probe, network).catch((error: unknown) => (error instanceof Error ? error.message || error.name : String(error)));
    if (why === undefined) return undefined;
  }
  return `${wordsOf(probe)} failed ${probe.attempts === 1 ? "" : `${probe.attempts} times `}(${why})`;
}

async function attemptOf(probe: Probe, network: Network): Promise<string | undefined> {
  const timeout = probe.timeout * 1000;
  switch (probe.kind) {
    case "tcp":
      await network.tcp(probe.host, probe.port, timeout);
      return undefined;
    case "http": {
      const status = await network.http(probe.url, timeout);
      return status === probe.status ? undefined : `status ${status}, not ${probe.status}`;
    }
    case "dns": {
      const found = await network.dns(probe.name, probe.server, timeout);
      if (probe.expect === undefined) return found.length > 0 ? undefined : "no address";
      return found.includes(probe.expect) ? undefined : `${found.join(", ") || "no address"}, not ${probe.expect}`;
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
