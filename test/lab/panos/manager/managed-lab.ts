import type { TreeNode } from "../../../../src/core/tree/node.js";
import type { DeviceOptions } from "../../../../src/lab/lab.js";

const ANY = ["source", "destination", "application", "service"].map((tag) => `<${tag}><member>any</member></${tag}>`).join("");

/** A rule between two zones. */
const rule = (name: string, more = "", zones: readonly [string, string] = ["any", "any"]): string =>
  `<entry name="${name}" uuid="0b1c7a52-0000-4000-8000-${String(name.length).padStart(12, "0")}"><from><member>${zones[0]}</member></from><to><member>${zones[1]}</member></to>${ANY}<action>allow</action>${more}</entry>`;

const address = (name: string, ip: string): string => `<entry name="${name}"><ip-netmask>${ip}</ip-netmask></entry>`;

const members = (serials: readonly string[]): string => serials.map((serial) => `<entry name="${serial}"/>`).join("");

/** `a` and `b` are in `branch` (below `offices`, below `all`), `c` with its two virtual systems in `plants` (below `all`), in a stack each. */
export const SERIALS = { a: "007000000000001", b: "007000000000002", c: "007000000000003" } as const;

const group = (name: string, inner: string): string => `<entry name="${name}">${inner}</entry>`;
const rules = (when: "pre" | "post", ...all: readonly string[]): string =>
  `<${when}-rulebase><security><rules>${all.join("")}</rules></security></${when}-rulebase>`;

const SYSTEMS = (...zones: readonly string[]): string =>
  zones
    .map((zone, at) => `<entry name="vsys${at + 1}"><zone><entry name="${zone}"><network><layer3/></network></entry></zone></entry>`)
    .join("");

const template = (zones: readonly string[]): string =>
  `<config><devices><entry name="localhost.localdomain"><deviceconfig><system><domain>$domain</domain></system></deviceconfig><vsys>${SYSTEMS(...zones)}</vsys></entry></devices></config>` +
  `<variable><entry name="$domain"><type><fqdn>example.net</fqdn></type></entry></variable>`;

export const MANAGER = `<config version="11.1.0"><mgt-config><users><entry name="admin"><permissions><role-based><superuser>yes</superuser></role-based></permissions></entry></users>
<devices>${members(Object.values(SERIALS))}</devices></mgt-config>
<shared><address>${address("dns", "192.0.2.53")}${address("proxy", "192.0.2.1")}</address>${rules("post", rule("log the rest"))}</shared>
<devices><entry name="localhost.localdomain">
<deviceconfig><system><hostname>manager</hostname></system></deviceconfig>
<template><entry name="branch-net">${template(["inside"])}</entry><entry name="plant-net">${template(["floor", "office"])}</entry></template>
<template-stack>
<entry name="branches"><templates><member>branch-net</member></templates><devices><entry name="${SERIALS.a}"/><entry name="${SERIALS.b}"><variable><entry name="$domain"><type><fqdn>b.example.net</fqdn></type></entry></variable></entry></devices></entry>
<entry name="plants-stack"><templates><member>plant-net</member></templates><devices>${members([SERIALS.c])}</devices></entry>
</template-stack>
<device-group>
${group("all", `<address>${address("proxy", "192.0.2.2")}</address>${rules("pre", rule("above"))}${rules("post", rule("last of all"))}`)}
${group("offices", `<address>${address("proxy", "192.0.2.3")}</address>`)}
${group("branch", `<devices>${members([SERIALS.a, SERIALS.b])}</devices>${rules("pre", rule("mine", "", ["inside", "any"]), rule("off", "<disabled>yes</disabled>"), rule("of a", `<target><devices><entry name="${SERIALS.a}"/></devices></target>`))}`)}
${group("plants", `<devices><entry name="${SERIALS.c}"><vsys><entry name="vsys1"/><entry name="vsys2"/></vsys></entry></devices><tag><entry name="press"/></tag>`)}
</device-group></entry></devices>
<readonly><devices><entry name="localhost.localdomain"><device-group>
<entry name="all"><id>11</id></entry><entry name="offices"><id>12</id><parent-dg>all</parent-dg></entry>
<entry name="branch"><id>13</id><parent-dg>offices</parent-dg></entry><entry name="plants"><id>14</id><parent-dg>all</parent-dg></entry>
</device-group></entry></devices></readonly></config>`;

const firewall = (name: string, systems = 1): string =>
  `<config version="11.1.0"><shared/><devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>${name}</hostname></system></deviceconfig><vsys>${Array.from({ length: systems }, (_, at) => `<entry name="vsys${at + 1}"/>`).join("")}</vsys></entry></devices></config>`;

/** The manager, then its firewalls. */
export const managed = (manager: DeviceOptions = {}): DeviceOptions[] => [
  { name: "manager", config: MANAGER, ...manager },
  { name: "a", manager: "manager", system: { serial: SERIALS.a }, config: firewall("fw-a") },
  { name: "b", manager: "manager", system: { serial: SERIALS.b }, config: firewall("fw-b") },
  { name: "c", manager: "manager", system: { serial: SERIALS.c }, config: firewall("fw-c", 2) },
];

/** `<commit-all>` of groups with the named firewalls, or with all of them. */
export const pushOf = (groups: Readonly<Record<string, readonly string[]>>, options = ""): string => {
  const entries = Object.entries(groups).map(([name, serials]) =>
    serials.length === 0 ? `<entry name="${name}"/>` : `<entry name="${name}"><devices>${members(serials)}</devices></entry>`,
  );
  return `<commit-all><shared-policy><device-group>${entries.join("")}</device-group>${options}</shared-policy></commit-all>`;
};

/** Names of the entries of a list. */
export const namesIn = (node: TreeNode | undefined): readonly (string | undefined)[] => node?.children.map(({ name }) => name) ?? [];
