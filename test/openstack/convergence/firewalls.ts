import { stringify } from "yaml";
import type { Entries, Spelling } from "./spelling.js";
import type { Fields } from "./values.js";

/** Lines of `plumbline.yaml` for the firewalls that `$forEach` selects from. */
export const FIREWALLS = `  edge: { kind: memory, file: edge.xml, mode: enforce }
  office: { kind: memory, file: office.xml, mode: observe }
`;

/** The files of the firewalls' configurations, which are outside git. */
export const IGNORED = "edge.xml\noffice.xml\n";

/** The document of `edge`. A firewall without declared objects has an entry that no loop selects. */
export function edgeDocument({ declared }: Spelling): string {
  const config = { "address-group": { other: { dynamic: { filter: "'x'" } } }, ...declared };
  return stringify({ target: "edge", scope: "vsys1", config });
}

/** A firewall's configuration with these entries. */
export function firewallXml(entries: Entries): string {
  const lists = Object.entries(entries).map(([list, all]) => element(list, Object.entries(all).map(entry).join("")));
  const vsys = `<vsys><entry name="vsys1">${lists.join("")}</entry></vsys>`;
  return `<config><devices><entry name="localhost.localdomain">${vsys}</entry></devices></config>`;
}

const entry = ([name, fields]: readonly [string, Fields]): string => `<entry name="${name}">${children(fields)}</entry>`;
const element = (tag: string, content: string): string => `<${tag}>${content}</${tag}>`;
const children = (fields: Fields): string =>
  Object.entries(fields)
    .map(([tag, value]) => element(tag, typeof value === "object" && value !== null ? children(value as Fields) : String(value)))
    .join("");
