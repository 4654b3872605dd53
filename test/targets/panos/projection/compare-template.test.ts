import { describe, expect, it } from "vitest";
import { SecretLeaf } from "../../../../src/core/tree/node.js";
import { protectSecrets } from "../../../../src/core/tree/stored-secrets.js";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { templateOf } from "../../../../src/lab/panos/manager/template-projection.js";
import { templateDifferences } from "../../../../src/targets/panos/projection/compare-template.js";
import { Projection } from "../../../../src/targets/panos/projection/projection.js";
import { panosShape } from "../../../../src/targets/panos/shape.js";

const device = (inner: string) => `<config><devices><entry name="localhost.localdomain">${inner}</entry></devices></config>`;
const system = (inner: string) => device(`<deviceconfig><system>${inner}</system></deviceconfig>`);
const variable = (name: string, value: string) => `<variable><entry name="${name}"><type><fqdn>${value}</fqdn></type></entry></variable>`;

/** A stack `s` of the templates in their order, for firewalls `1` (with a value of its own) and `2`. */
function manager(own: string, templates: readonly string[], ownValue = ""): string {
  const members = templates.map((_, at) => `<member>t${at}</member>`).join("");
  const entries = templates.map((inner, at) => `<entry name="t${at}">${inner}</entry>`).join("");
  const devices = `<devices><entry name="1">${ownValue}</entry><entry name="2"/></devices>`;
  return device(
    `<template>${entries}</template><template-stack><entry name="s"><templates>${members}</templates>${devices}${own}</entry></template-stack>`,
  );
}

function judged(xml: string, serial: string, change: (text: string) => string = (text) => text) {
  const root = protectSecrets(parseXml(xml), panosShape());
  const stack = new Projection(root, { precedence: "nearest", targeted: "left out", defaultRules: "nearest" }).stack("s");
  if (stack === undefined) throw new Error("no stack");
  const found = protectSecrets(templateOf(parseXml(change(xml)), "s", serial), panosShape());
  return [...templateDifferences(stack, found, serial)].map(({ what, path, wanted, found: other }) =>
    [what, path.toString().replace(/^.*localhost.localdomain'\]\/(?=template)/, ""), wanted, other].join(" ").trim(),
  );
}

describe("the pushed content of a firewall, compared with its stack", () => {
  it("is the stack's own, then the first template's, with the value of the nearest variable", () => {
    const xml = manager(
      system("<hostname>own</hostname>"),
      [
        `${system("<hostname>first</hostname><domain>$d</domain><ip-address>192.0.2.1</ip-address>")}${variable("$d", "first.example")}`,
        `${system("<timezone>UTC</timezone><domain>second</domain>")}${variable("$d", "second.example")}`,
      ],
      variable("$d", "mine.example"),
    );
    for (const serial of ["1", "2"]) expect(judged(xml, serial)).toEqual([]);
    expect(judged(xml, "1", (text) => text.replace("mine.example", "old.example"))).toEqual([
      "differs template/entry[@name='t0']/config/devices/entry[@name='localhost.localdomain']/deviceconfig/system/domain mine.example old.example",
    ]);
    expect(judged(xml, "2", (text) => text.replace("mine.example", "old.example"))).toEqual([]);
    expect(judged(xml, "2", (text) => text.replace("<timezone>UTC</timezone>", ""))).toEqual([
      "missing template/entry[@name='t1']/config/devices/entry[@name='localhost.localdomain']/deviceconfig/system/timezone UTC",
    ]);
    expect(judged(xml, "2", (text) => text.replace("<timezone>", "<login-banner>hi</login-banner><timezone>"))).toEqual([
      "extra template-stack/entry[@name='s']/config/devices/entry[@name='localhost.localdomain']/deviceconfig/system/login-banner  hi",
    ]);
    expect(judged(xml, "2", (text) => text.replace("<hostname>own</hostname>", ""))).toEqual([
      "differs template-stack/entry[@name='s']/config/devices/entry[@name='localhost.localdomain']/deviceconfig/system/hostname own first",
    ]);
  });

  it("shows nothing of a secret, which each device encrypts with its own key, and detects a missing one", () => {
    const profile = (key: string) =>
      device(
        `<network><ike><gateway><entry name="g"><authentication><pre-shared-key>${key}</pre-shared-key></authentication></entry></gateway></ike></network>`,
      );
    const xml = manager("", [profile("<key>-AQ==abcdef</key>")]);
    expect(protectSecrets(parseXml(xml), panosShape())).not.toBeInstanceOf(SecretLeaf);
    expect(judged(xml, "1", (text) => text.replace("-AQ==abcdef", "-AQ==other"))).toEqual([]);
    const gone = judged(xml, "1", (text) => text.replace("<key>-AQ==abcdef</key>", ""));
    expect(gone).toHaveLength(1);
    expect(gone.join()).not.toContain("AQ==");
  });

  it("agrees with the lab on stacks of any kind", () => {
    let seed = 7;
    const pick = (n: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % n;
    };
    const zone = () =>
      `<entry name="${pick(3) === 0 ? "$z" : `z${pick(3)}`}"><network><layer3>${["", "<member>ethernet1/1</member>", "<member>$i</member><member>ethernet1/2</member>"][pick(3)]}</layer3></network>${pick(2) === 0 ? "<user-acl><include-list><member>a</member></include-list></user-acl>" : ""}</entry>`;
    const zones = () => {
      const found = new Map(Array.from({ length: pick(4) }, () => zone()).map((each) => [each.slice(0, 16), each]));
      return [...found.values()].join("");
    };
    const template = () =>
      `${device(`<deviceconfig><system>${pick(2) === 0 ? `<domain>d${pick(3)}</domain>` : ""}</system></deviceconfig><vsys><entry name="vsys1"><zone>${zones()}</zone></entry></vsys>`)}<variable><entry name="$z"><type><fqdn>zone-${pick(3)}</fqdn></type></entry><entry name="$i"><type><interface>ethernet1/${pick(5)}</interface></type></entry></variable>`;
    for (let n = 0; n < 300; n++) {
      const xml = manager(template(), Array.from({ length: pick(4) }, template), pick(2) === 0 ? variable("$z", "mine") : "");
      for (const serial of ["1", "2"]) expect([n, judged(xml, serial)]).toEqual([n, []]);
    }
  });
});
