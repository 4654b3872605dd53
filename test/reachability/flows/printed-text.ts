import { addressNumber, addressRange } from "../../../src/core/address-range.js";
import type { AddressRange, Named, Policy } from "../../../src/reachability/flows/policy.js";

/** A flow as a printed row describes it. */
interface TextFlow {
  readonly from: string;
  readonly to: string;
  readonly source: bigint;
  readonly destination: bigint;
  readonly application: string;
  readonly protocol: number;
  readonly port: number;
}

/** A row that was read back from the text of the section. */
export interface PrintedRow {
  readonly change: "opened" | "closed";
  /** False: the row contains its flows and more. */
  readonly isExact: boolean;
  readonly conditions: readonly string[];
  readonly hasMoreConditions: boolean;
  readonly contains: (flow: TextFlow) => boolean;
  readonly example: TextFlow;
}

interface Names {
  /** Addresses of the objects that rules name. */
  readonly addresses: ReadonlyMap<string, readonly AddressRange[]>;
  /** Applications that rules name. */
  readonly applications: ReadonlySet<string>;
}

const PROTOCOLS: Readonly<Record<string, number>> = { icmp: 1, tcp: 6, udp: 17, gre: 47, esp: 50, icmp6: 58, sctp: 132 };
const OTHER = "any other application";

export function namesOf(policies: readonly Policy[]): Names {
  const addresses = new Map<string, AddressRange[]>();
  const applications = new Set<string>();
  const add = (object: Named<AddressRange>): AddressRange[] => {
    const ranges = [...object.values, ...object.members.flatMap(add)];
    addresses.set(object.name, ranges);
    return ranges;
  };
  for (const { source, destination, traffic } of policies.flatMap(({ rules }) => rules)) {
    for (const match of [source, destination]) if (match !== "any") for (const object of match.objects) add(object);
    for (const each of traffic)
      if (each.applications !== "any")
        for (const { values } of each.applications.objects) for (const name of values) applications.add(name);
  }
  return { addresses, applications };
}

/** Reads the rows of the section. Throws for a text that it does not understand. */
export function printedRows(lines: readonly string[], names: Names): PrintedRow[] {
  return lines.flatMap((line, at) => {
    const sign = /^ {4}([+-]) (.*)$/.exec(line);
    return sign === null
      ? []
      : [rowOf(sign[1] === "+" ? "opened" : "closed", sign[2] ?? "", lines[at + 1] ?? "", lines[at + 2] ?? "", names)];
  });
}

function rowOf(change: PrintedRow["change"], first: string, second: string, third: string, names: Names): PrintedRow {
  if (/and \d+ more/.test(first)) throw new Error(`The row is shortened: ${first}`);
  const [, from = "", to = "", source = "", destination = ""] = /^(.*) > (.*) {3}(.*) > (.*)$/.exec(first) ?? fail(first);
  const [traffic = "", ...details] = second.trim().split("   ");
  const [services = "", applications = "any application"] = traffic.split(" · ");
  const condition = details
    .find((text) => text.startsWith("if "))
    ?.slice(3)
    .split(", or ");
  const [fields, example] = [{ from, to, source, destination, services, applications }, third.trim()];
  return {
    change,
    isExact: !details.some((text) => text.startsWith("in ")),
    conditions: condition?.filter((text) => !text.includes(" more condition")).map((text) => text.replace(/^if /, "")) ?? [],
    hasMoreConditions: condition?.some((text) => text.includes(" more condition")) ?? false,
    contains: (flow) => contains(fields, flow, names),
    example: exampleOf(example, { from, to }),
  };
}

type Fields = Readonly<Record<"from" | "to" | "source" | "destination" | "services" | "applications", string>>;

function contains({ from, to, source, destination, services, applications }: Fields, flow: TextFlow, names: Names): boolean {
  const application = names.applications.has(flow.application) ? flow.application : OTHER;
  const isZone = isTo(to, flow);
  return (
    inList(from, (name) => name === flow.from) &&
    isZone &&
    inList(source.replace(/ \([^()]* addresses\)$/, ""), (text) => inAddress(text, flow.source, names)) &&
    inList(destination.replace(/ \([^()]* addresses\)$/, ""), (text) => inAddress(text, flow.destination, names)) &&
    inList(services, (text) => inService(text, flow)) &&
    inList(applications, (name) => name === application)
  );
}

function isTo(to: string, flow: TextFlow): boolean {
  if (to === "the same zone") return flow.from === flow.to;
  const other = to.replace(/ except the same zone$/, "");
  return inList(other, (name) => name === flow.to) && (other === to || flow.from !== flow.to);
}

/** `any`, `any but a, b`, or `a, b`. */
function inList(text: string, has: (item: string) => boolean): boolean {
  if (/^any( service| application)?$/.test(text)) return true;
  if (text.startsWith("any but ")) return !text.slice(8).split(", ").some(has);
  return text.split(", ").some(has);
}

function inAddress(text: string, address: bigint, { addresses }: Names): boolean {
  const shown = /\(([^()]*)\)$/.exec(text)?.[1] ?? text;
  if (shown === "IPv6") return address >= 1n << 32n;
  const range = addressRange(shown);
  const ranges = range === undefined ? addresses.get(text) : [range];
  if (ranges === undefined) throw new Error(`No address: ${text}`);
  return ranges.some(({ first, last }) => first <= address && address <= last);
}

function inService(text: string, { protocol, port }: TextFlow): boolean {
  const [name = "", ports] = text.split("/");
  const number = PROTOCOLS[name] ?? Number(/^protocol (\d+)$/.exec(name)?.[1] ?? fail(text));
  if (number !== protocol) return false;
  return (
    ports === undefined ||
    ports.split(",").some((span) => {
      const [first = 0, last = first] = span.split("-").map(Number);
      return first <= port && port <= last;
    })
  );
}

function exampleOf(text: string, zones: Pick<TextFlow, "from" | "to">): TextFlow {
  const parts =
    /^for example (?:(?<from>.*) > (?<to>.*) {2})?(?<source>[\da-f.:]+) > (?<destination>[\da-f.:]+) (?<service>[^ ·]+)(?: · (?<application>.*))?$/.exec(
      text,
    )?.groups ?? fail(text);
  const { from = zones.from, to = zones.to, source = "", destination = "", service = "", application = OTHER } = parts;
  const [name = "", port = "0"] = service.split("/");
  const number = (address: string) => addressNumber(address) ?? fail(address);
  return {
    from,
    to,
    source: number(source),
    destination: number(destination),
    application,
    protocol: PROTOCOLS[name] ?? fail(service),
    port: Number(port),
  };
}

function fail(text: string): never {
  throw new Error(`The text is not understood: ${text}`);
}
