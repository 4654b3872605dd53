import { expect, it } from "vitest";
import { doubtfulValues } from "../../../src/targets/panos/doubtful-values.js";
import { panosGuards } from "../../../src/targets/panos/guards.js";
import { panosShape } from "../../../src/targets/panos/shape.js";
import { desired, tree } from "../../plan/support/planned.js";

const config = (vsys: string, network = ""): string =>
  `<config><devices><entry name="localhost.localdomain"><network>${network}</network><vsys><entry name="vsys1">${vsys}</entry></vsys></entry></devices></config>`;
const notes = (wanted: string, live = "<config/>"): string[] =>
  doubtfulValues(desired(wanted, panosShape()).root, tree(live)).map(({ message }) => message);
const members = (...names: string[]): string => names.map((name) => `<member>${name}</member>`).join("");
const zone = (name: string, ...interfaces: string[]): string =>
  `<entry name="${name}"><network><layer3>${members(...interfaces)}</layer3></network></entry>`;
const rule = (source: string): string =>
  `<rulebase><security><rules><entry name="r"><from>${members("any")}</from><to>${members("any")}</to><source>${members(source)}</source><destination>${members("any")}</destination><application>${members("any")}</application><service>${members("any")}</service><action>deny</action></entry></rules></security></rulebase>`;
const ethernet = (...entries: string[]): string => `<interface><ethernet>${entries.join("")}</ethernet></interface>`;
const layer3 = (name: string, inside: string): string => `<entry name="${name}"><layer3>${inside}</layer3></entry>`;
const ip = (address: string): string => `<ip><entry name="${address}"/></ip>`;

it.each([
  ["Any in capitals", config(rule("Any")), '"Any" is the name of an object'],
  [
    "a reversed range",
    config('<address><entry name="a"><ip-range>10.0.0.9-10.0.0.1</ip-range></entry></address>'),
    "ends before it starts",
  ],
  [
    "a group in itself",
    config(`<address-group><entry name="g"><static>${members("g")}</static></entry></address-group>`),
    'Group "g" contains itself',
  ],
  ["two spaces", config('<address><entry name="a  b"><fqdn>a.example.com</fqdn></entry></address>'), 'The name "a  b" has two spaces'],
  ["a trailing space", config('<address><entry name="a "><fqdn>a.example.com</fqdn></entry></address>'), "or a space at its start or end"],
  [
    "a sub-interface under another interface",
    config("", ethernet(layer3("ethernet1/2", '<units><entry name="ethernet1/1.5"><tag>5</tag></entry></units>'))),
    'Sub-interface "ethernet1/1.5" is declared below interface "ethernet1/2"',
  ],
  [
    "one interface in two zones",
    config(`<zone>${zone("a", "ethernet1/1")}${zone("b", "ethernet1/1")}</zone>`),
    'Interface "ethernet1/1" is also used',
  ],
  [
    "one interface in two routers",
    config(
      "",
      `<virtual-router>${["a", "b"].map((name) => `<entry name="${name}"><interface>${members("tunnel.1")}</interface></entry>`).join("")}</virtual-router>`,
    ),
    'Interface "tunnel.1" is also used',
  ],
  [
    "one address on two interfaces",
    config("", ethernet(layer3("ethernet1/1", ip("192.0.2.1/24")), layer3("ethernet1/2", ip("192.0.2.1/25")))),
    "Address 192.0.2.1/25 is also used",
  ],
])("a plan warns of %s", (_, wanted, message) => {
  expect(notes(wanted)).toEqual([expect.stringContaining(message)]);
});

it("warns of a live zone that no document mentions, and not of an interface that moves", () => {
  const wanted = config(`<zone>${zone("b", "ethernet1/1")}</zone>`);
  expect(notes(wanted, config(`<zone>${zone("other", "ethernet1/1")}</zone>`))).toHaveLength(1);
  const both = config(`<zone>${zone("a", "ethernet1/2")}${zone("b", "ethernet1/1")}</zone>`);
  expect(notes(both, config(`<zone>${zone("a", "ethernet1/1")}</zone>`))).toEqual([]);
});

it("does not warn of ordinary declarations", () => {
  const network = ethernet(layer3("ethernet1/1", `${ip("192.0.2.1/24")}<units><entry name="ethernet1/1.5"><tag>5</tag></entry></units>`));
  const vsys = `<zone>${zone("a", "ethernet1/1", "ethernet1/1.5")}</zone><address><entry name="a b"><ip-range>10.0.0.1-10.0.0.9</ip-range></entry></address>${rule("any")}`;
  expect(notes(config(vsys, network))).toEqual([]);
});

it("a plan for a firewall includes the notes", () => {
  expect(panosGuards.notes).toBe(doubtfulValues);
});
