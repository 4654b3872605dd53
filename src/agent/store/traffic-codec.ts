import { promisify } from "node:util";
import { brotliCompress, brotliDecompress, constants } from "node:zlib";
import { addressRange } from "../../core/address-range.js";
import { millisecondsOf, timeText } from "../../core/device-time.js";
import type { LoggedSession } from "../../reachability/policy-role.js";
import type { KeptHour } from "../../reachability/traffic/kept-traffic.js";

const [compress, decompress] = [promisify(brotliCompress), promisify(brotliDecompress)];
const QUALITY = 5;

type Kind = Pick<LoggedSession, "scope" | "service" | "application"> &
  Pick<LoggedSession["session"], "from" | "to" | "protocol" | "port" | "user" | "rule"> & { readonly app?: string | undefined };

/** Stored as columns, because similar values next to each other compress better. */
interface Written {
  readonly kinds: readonly Kind[];
  readonly addresses: readonly string[];
  readonly unread: number;
  readonly cut: KeptHour["cut"];
  readonly kind: readonly number[];
  readonly source: readonly number[];
  readonly destination: readonly number[];
  /** Lowest source port. `ports` is the distance to the highest one. */
  readonly port: readonly number[];
  readonly ports: readonly number[];
  readonly times: readonly number[];
  readonly bytes: readonly number[];
  /** Seconds since the start of the hour. `began` is the duration from the start of the session, or null if it is not needed. */
  readonly seen: readonly number[];
  readonly began: readonly (number | null)[];
}

/** Encodes an hour for the store. */
export async function writeHour(hour: string, { flows, unread, cut }: KeptHour): Promise<Buffer> {
  const [kinds, addresses] = [new Numbers(), new Numbers()];
  const start = millisecondsOf(hour);
  const seen = flows.map((flow) => (millisecondsOf(flow.seen) - start) / 1000);
  const written: Written = {
    unread,
    cut,
    kind: flows.map((flow) => kinds.of(JSON.stringify(kindOf(flow)))),
    source: flows.map(({ source }) => addresses.of(source)),
    destination: flows.map(({ destination }) => addresses.of(destination)),
    port: flows.map(({ session }) => session.sourcePort),
    ports: flows.map(({ session }) => (session.lastSourcePort ?? session.sourcePort) - session.sourcePort),
    times: flows.map(({ times }) => times),
    bytes: flows.map(({ bytes }) => bytes),
    seen,
    began: flows.map(({ began }, at) => (began === "" ? null : (seen[at] ?? 0) - (millisecondsOf(began) - start) / 1000)),
    kinds: kinds.texts().map((text) => JSON.parse(text) as Kind),
    addresses: addresses.texts(),
  };
  return await compress(JSON.stringify(written), { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
}

/** Decodes the output of `writeHour`. */
export async function readHour(hour: string, data: Uint8Array): Promise<KeptHour> {
  const written = JSON.parse((await decompress(data)).toString()) as Written;
  const numbers = written.addresses.map((address) => addressRange(address)?.first ?? 0n);
  const start = millisecondsOf(hour);
  const at = (column: readonly number[], row: number): number => column[row] ?? 0;
  const flows = written.kind.map((number, row): LoggedSession => {
    const { scope, service, application, app, ...kind } = written.kinds[number] as Kind;
    const [source, destination, sourcePort] = [at(written.source, row), at(written.destination, row), at(written.port, row)];
    const seen = at(written.seen, row);
    const began = written.began[row] ?? undefined;
    return {
      scope,
      session: {
        ...kind,
        source: numbers[source] ?? 0n,
        destination: numbers[destination] ?? 0n,
        sourcePort,
        lastSourcePort: sourcePort + at(written.ports, row),
        application: app,
      },
      source: written.addresses[source] ?? "",
      destination: written.addresses[destination] ?? "",
      service,
      application,
      began: began === undefined ? "" : timeText(start + (seen - began) * 1000),
      seen: timeText(start + seen * 1000),
      times: at(written.times, row),
      bytes: at(written.bytes, row),
    };
  });
  return { flows, unread: written.unread, cut: written.cut };
}

function kindOf({ scope, service, application, session }: LoggedSession): Kind {
  const { from, to, protocol, port, user, rule, application: app } = session;
  return { scope, from, to, protocol, port, service, application, app, user, rule };
}

/** Assigns numbers to texts in the order of their first use. */
class Numbers {
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    return number;
  }

  texts(): readonly string[] {
    return [...this.#numbers.keys()];
  }
}
