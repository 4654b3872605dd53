import { expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { translatedZone } from "../../../src/engine/access/translated-zone.js";
import { rulebasesOf } from "../../../src/targets/panos/policy/policies.js";

const entry = (name: string, inner: string) => `<entry name="${name}">${inner}</entry>`;
const list = (tag: string, text: string) => `<${tag}><member>${text}</member></${tag}>`;
const port = (name: string, ip: string) => entry(name, `<layer3><ip><entry name="${ip}"/></ip></layer3>`);

/** A firewall with two networks and no default route. NAT sends 198.51.100.3 to a host. */
function withNatTo(host: string) {
  const [outside, inside] = ["ethernet1/1", "ethernet1/2"];
  const nat = [
    ...[list("from", "untrust"), list("to", "untrust"), list("source", "any"), list("destination", "198.51.100.3")],
    `<service>any</service><destination-translation><translated-address>${host}</translated-address></destination-translation>`,
  ].join("");
  const ports = `<interface>${`<member>${outside}</member><member>${inside}</member>`}</interface>`;
  const zones = [
    entry("untrust", `<network>${list("layer3", outside)}</network>`),
    entry("web", `<network>${list("layer3", inside)}</network>`),
  ];
  const system = `<import><network>${ports}</network></import><zone>${zones.join("")}</zone><rulebase><nat><rules>${entry("publish", nat)}</rules></nat></rulebase>`;
  const network = `<network><interface><ethernet>${port(outside, "198.51.100.1/24")}${port(inside, "10.0.0.1/24")}</ethernet></interface><virtual-router>${entry("default", ports)}</virtual-router></network>`;
  const device = entry("localhost.localdomain", `${network}<vsys>${entry("vsys1", system)}</vsys>`);
  const [rulebase] = rulebasesOf([parseXml(`<config><shared/><devices>${device}</devices></config>`)]);
  if (rulebase === undefined) throw new Error("a virtual system has a rulebase");
  const flows = rulebase.flows(0, {
    ...{ from: ["untrust"], to: [], source: ["198.51.100.9"], destination: ["198.51.100.3"] },
    ...{ service: ["tcp/443"], application: [] },
  });
  return translatedZone(rulebase, flows);
}

it("returns the zone that routes lead to after NAT", () => {
  expect(withNatTo("10.0.0.7")).toEqual({ rules: "NAT rule publish", zones: ["web"], unknown: [] });
});

it("states that no route leads to the address after NAT", () => {
  expect(withNatTo("10.9.0.7")).toEqual({ rules: "NAT rule publish", zones: [], unknown: ["no route leads to it"] });
});
