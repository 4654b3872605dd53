import { literalDefault } from "../core/service-range.js";
import { itemsWith } from "./header-items.js";
import type { HeaderReader, Pair } from "./header-reader.js";
import { isDate } from "./ignores.js";
import type { DesiredKind } from "./kind.js";

const { mapOf, refuse, required, texts } = itemsWith("applications-invalid");

/** A predefined application, as a device reported it. */
export interface RecordedApplication {
  /** Default ports: `tcp/80,443`, or an ICMP type: `icmp/8`. Undefined: no fixed ports. */
  readonly ports: readonly string[] | undefined;
  /** Applications of a container. Empty for an application. */
  readonly contains: readonly string[];
}

/** `applications:` of a document: definitions of applications that the content of a device contains. */
export interface RecordedApplications {
  /** Version of the content that defines them. */
  readonly content: string;
  /** Day on which they were read, yyyy-mm-dd. */
  readonly read: string;
  readonly known: ReadonlyMap<string, RecordedApplication>;
  /** YAML node of the key. */
  readonly node: number;
}

/** Reads `applications:` of a document. */
export function readApplications(reader: HeaderReader, pair: Pair | undefined, kind: DesiredKind): RecordedApplications | undefined {
  if (pair === undefined) return undefined;
  if (kind.hasApplications !== true) {
    const message = `applications: is not possible here: a target of kind ${kind.kind} has no predefined applications.`;
    return refuse(reader, pair.key, message, "Write it in a document of a firewall.");
  }
  const keys = mapOf(reader, pair.value, ["content", "read", "known"], "applications:");
  if (keys === undefined) return undefined;
  const content = required(reader, pair.key, keys, "content");
  const read = required(reader, pair.key, keys, "read");
  const listed = keys.get("known");
  if (content === undefined || read === undefined) return undefined;
  if (!isDate(read)) return refuse(reader, keys.get("read")?.value ?? pair.key, `read: cannot be "${read}".`, "Write the day: yyyy-mm-dd.");
  if (listed === undefined || reader.doc.kind(listed.value) !== "map")
    return refuse(reader, listed?.key ?? pair.key, "known: is a map of applications.", "Write known: { ssl: [tcp/443] }.");
  return { content, read, known: readKnown(reader, listed.value), node: pair.key };
}

function readKnown(reader: HeaderReader, map: number): ReadonlyMap<string, RecordedApplication> {
  const { doc } = reader;
  const known = new Map<string, RecordedApplication>();
  for (let key = doc.first(map); !doc.ends(key); ) {
    const value = doc.after(key);
    const application = readApplication(reader, { key, value });
    if (application !== undefined) known.set(doc.text(key), application);
    key = doc.after(value);
  }
  return known;
}

function readApplication(reader: HeaderReader, pair: Pair): RecordedApplication | undefined {
  const { doc } = reader;
  const name = doc.text(pair.key);
  if (doc.kind(pair.value) === "map") {
    const contains = reader.map(pair.value, ["contains"]).get("contains");
    if (contains === undefined) return refuse(reader, pair.key, `${name}: has no contains:.`, "Write ports, or { contains: [NAME] }.");
    return { ports: undefined, contains: texts(reader, contains, "contains").map(({ text }) => text) };
  }
  if (doc.kind(pair.value) === "scalar" && doc.text(pair.value) === "no fixed ports") return { ports: undefined, contains: [] };
  const ports = texts(reader, pair, name);
  const wrong = ports.find(({ text }) => literalDefault(text) === undefined);
  if (wrong !== undefined)
    return refuse(
      reader,
      wrong.node,
      `"${wrong.text}" is no port.`,
      "Write tcp/443, udp/53,5353, tcp/dynamic, icmp/8 or a protocol number.",
    );
  if (ports.length === 0) return refuse(reader, pair.value, `${name}: has no ports.`, `Write the ports, or "no fixed ports".`);
  return { ports: ports.map(({ text }) => text), contains: [] };
}

/** Returns the JSON Schema of `applications:`, for editors. */
export function applicationsSchema(): Record<string, unknown> {
  const text = { type: "string", minLength: 1 };
  const contains = {
    type: "object",
    additionalProperties: false,
    required: ["contains"],
    properties: { contains: { type: "array", items: text } },
  };
  return {
    type: "object",
    additionalProperties: false,
    required: ["content", "read", "known"],
    description: "Default ports and containers of the device's own applications, as a device reported them. plumbline import writes them.",
    properties: {
      content: { ...text, description: "Version of the content on the device." },
      read: { description: "Day of the read, yyyy-mm-dd." },
      known: {
        type: "object",
        additionalProperties: { anyOf: [{ const: "no fixed ports" }, { type: "array", minItems: 1, items: text }, contains] },
      },
    },
  };
}
