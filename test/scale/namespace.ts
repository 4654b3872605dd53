import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";

/** The address on which labs listen, for agents inside and outside the namespace. */
export const LABS = "10.213.77.1";
const DATABASE = "10.213.77.2";
const INSIDE = "10.213.77.9";
const NAME = `plumbline${process.pid % 10_000}`;
const LINK = `pl${process.pid % 10_000}`;

/** A network namespace whose way to the database can be cut, and that to everything else stays. */
export interface Namespace {
  /** The command to run something in it. */
  readonly prefix: readonly string[];
  /** The database's address as seen from inside. */
  database(url: string): Promise<string>;
  /** Drops packets to the database silently. */
  cut(): void;
  mend(): void;
  remove(): Promise<void>;
}

/** The reason why there is no namespace, or undefined. It requires Linux, `ip` and root. */
export function makeNamespace(): Namespace | string {
  try {
    ip("netns", "add", NAME);
  } catch (error) {
    return `no network namespaces here: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`;
  }
  const inside = (...words: string[]): void => ip("-n", NAME, ...words);
  try {
    ip("link", "add", LINK, "type", "veth", "peer", "name", "in0", "netns", NAME);
    for (const address of [LABS, DATABASE]) ip("addr", "add", `${address}/24`, "dev", LINK);
    ip("link", "set", LINK, "up");
    inside("addr", "add", `${INSIDE}/24`, "dev", "in0");
    inside("link", "set", "in0", "up");
    inside("link", "set", "lo", "up");
    inside("link", "add", "nowhere", "type", "veth", "peer", "name", "nobody");
    for (const link of ["nowhere", "nobody"]) inside("link", "set", link, "up", "arp", "off");
  } catch (error) {
    ip("netns", "del", NAME);
    return `no virtual links here: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`;
  }
  const forwarders: Server[] = [];
  return {
    prefix: ["ip", "netns", "exec", NAME],
    database: async (url) => {
      const place = new URL(url);
      const port = Number(place.port);
      const forwarder = createServer((socket) => {
        const onward = connect(port, "127.0.0.1");
        socket.pipe(onward).pipe(socket);
        socket.on("error", () => onward.destroy());
        onward.on("error", () => socket.destroy());
      }).listen(0, DATABASE);
      await once(forwarder, "listening");
      forwarders.push(forwarder);
      const address = forwarder.address();
      if (address === null || typeof address === "string") throw new Error("no port");
      place.hostname = DATABASE;
      place.port = String(address.port);
      place.searchParams.set("sslmode", "disable");
      return place.href;
    },
    cut: () => inside("route", "add", `${DATABASE}/32`, "dev", "nowhere"),
    mend: () => inside("route", "del", `${DATABASE}/32`, "dev", "nowhere"),
    remove: async () => {
      // Connections that were cut keep the namespace for minutes, and the link's addresses with it.
      ip("link", "del", LINK);
      ip("netns", "del", NAME);
      for (const forwarder of forwarders) forwarder.close();
    },
  };
}

function ip(...words: string[]): void {
  execFileSync("ip", words, { stdio: ["ignore", "ignore", "pipe"] });
}
