import { VSYS } from "../engine/apply/scenes.js";

/** Rules of their only virtual system. */
export const RULES = `${VSYS}/rulebase/security/rules`;
const list = (tag: string, ...members: string[]) => `<${tag}>${members.map((each) => `<member>${each}</member>`).join("")}</${tag}>`;
const layer3 = (name: string, address: string) => `<entry name='${name}'><layer3><ip><entry name='${address}'/></ip></layer3></entry>`;
const zone = (name: string, port: string) => `<entry name='${name}'><network>${list("layer3", port)}</network></entry>`;
/** Between any zones and addresses. */
export const rule = (name: string, service: string, action = "allow", application = "any") =>
  `<entry name='${name}'>${list("from", "any")}${list("to", "any")}${list("source", "any")}${list("destination", "any")}${list("application", application)}${list("service", service)}<action>${action}</action></entry>`;
const services = ["22", "5432"]
  .map((port) => `<entry name='tcp-${port}'><protocol><tcp><port>${port}</port></tcp></protocol></entry>`)
  .join("");

interface Side {
  readonly zone: string;
  readonly address: string;
}

const firewall = (outer: Side, inner: Side, hop: string, rules: string): string =>
  [
    "<config><devices><entry name='localhost.localdomain'>",
    `<network><interface><ethernet>${layer3("ethernet1/1", outer.address)}${layer3("ethernet1/2", inner.address)}</ethernet></interface>`,
    `<virtual-router><entry name='default'>${list("interface", "ethernet1/1", "ethernet1/2")}<routing-table><ip><static-route>`,
    `<entry name='on'><destination>${hop.split(" ")[0]}</destination><nexthop><ip-address>${hop.split(" ")[1]}</ip-address></nexthop></entry>`,
    "</static-route></ip></routing-table></entry></virtual-router></network>",
    `<vsys><entry name='vsys1'><zone>${zone(outer.zone, "ethernet1/1")}${zone(inner.zone, "ethernet1/2")}</zone>`,
    "<address><entry name='db-01'><ip-netmask>10.2.0.21</ip-netmask></entry><entry name='db-net'><ip-netmask>10.2.0.0/24</ip-netmask></entry></address>",
    `<service>${services}</service>`,
    `<rulebase><nat><rules/></nat><security><rules>${rules}</rules></security></rulebase></entry></vsys></entry></devices><shared></shared></config>`,
  ].join("");

/** Stops all else. */
export const DENY = rule("deny-all", "any", "deny");
/** 192.0.2.0/24 outside, and a way to the inner one. */
export const edge = (rules = rule("db", "tcp-5432") + DENY) =>
  firewall({ zone: "untrust", address: "192.0.2.1/24" }, { zone: "core", address: "10.0.0.1/30" }, "10.2.0.0/24 10.0.0.2", rules);
/** The database behind it. */
export const inner = (rules = rule("db", "tcp-5432") + DENY) =>
  firewall({ zone: "core", address: "10.0.0.2/30" }, { zone: "db", address: "10.2.0.1/24" }, "192.0.2.0/24 10.0.0.1", rules);
