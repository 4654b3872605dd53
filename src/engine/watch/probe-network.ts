import { Resolver } from "node:dns/promises";
import { connect, isIPv6 } from "node:net";
import { Agent, request } from "undici";

/** Network access of probes. Each method rejects with the reason, and ends when `stop` is aborted. Times are milliseconds. */
export interface ProbeNetwork {
  /** Resolves once connected; the connection is closed. */
  tcp(host: string, port: number, timeout: number, stop?: AbortSignal): Promise<void>;
  /** Status of a GET. Redirects are not followed. */
  http(url: string, timeout: number, stop?: AbortSignal): Promise<number>;
  /** Addresses of a name, from `server` if given. */
  dns(name: string, server: string | undefined, timeout: number, stop?: AbortSignal): Promise<readonly string[]>;
}

/** The network of this machine. */
export const thisNetwork: ProbeNetwork = {
  tcp: (host, port, timeout, stop) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host, port, timeout });
      const end = (settle: () => void) => {
        stop?.removeEventListener("abort", stopped);
        socket.destroy();
        settle();
      };
      const stopped = () => end(() => reject(new Error("the run was stopped")));
      stop?.addEventListener("abort", stopped);
      socket.once("connect", () => end(resolve));
      socket.once("timeout", () => end(() => reject(new Error(`no connection within ${timeout / 1000} s`))));
      socket.once("error", (error) => end(() => reject(error)));
    }),
  async http(url, timeout, stop) {
    // A new connection: an existing one may continue although the commit blocks new ones.
    const dispatcher = new Agent({ connect: { timeout } });
    try {
      const { statusCode } = await request(url, { dispatcher, signal: eitherOf(AbortSignal.timeout(timeout), stop) });
      return statusCode;
    } finally {
      await dispatcher.destroy();
    }
  },
  async dns(name, server, timeout, stop) {
    const resolver = new Resolver({ timeout, tries: 1 });
    const cancel = () => resolver.cancel();
    stop?.addEventListener("abort", cancel);
    if (server !== undefined) resolver.setServers([isIPv6(server) ? `[${server}]` : server]);
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]).finally(() =>
      stop?.removeEventListener("abort", cancel),
    );
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const [first] = answers;
    if (found.length === 0 && first.status === "rejected") throw first.reason;
    return found;
  },
};

function eitherOf(timeout: AbortSignal, stop: AbortSignal | undefined): AbortSignal {
  return stop === undefined ? timeout : AbortSignal.any([timeout, stop]);
}
