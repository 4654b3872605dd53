import { describe, expect, it } from "vitest";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { writeXml } from "../../src/core/tree/xml/write.js";
import { localPart, withoutReadOnly } from "../../src/import/local.js";
import { panosShape } from "../../src/targets/panos/shape.js";

function local(xml: string): string | undefined {
  const part = localPart(parseXml(xml), panosShape());
  return part === undefined ? undefined : writeXml(part, { secrets: "label" });
}

describe("localPart", () => {
  it("returns a tree without inherited nodes unchanged", () => {
    const tree = parseXml("<config><a admin='x'><entry name='1'/></a></config>");
    expect(localPart(tree, panosShape())).toBe(tree);
  });

  it("omits nodes of a template or a manager", () => {
    const xml = `<config><zone><entry name="t" ptpl="T" src="tpl"><network><layer3/></network></entry><entry name="own"/></zone><address loc="DG"><entry name="x"><fqdn>y</fqdn></entry></address></config>`;
    expect(local(xml)).toBe(`<config><zone><entry name="own"/></zone></config>`);
  });

  it("keeps a local override inside elements that are all inherited", () => {
    const xml = `<config><system src="tpl" ptpl="T"><hostname>own</hostname><timezone src="tpl" ptpl="T">UTC</timezone></system></config>`;
    expect(local(xml)).toBe(`<config><system src="tpl" ptpl="T"><hostname>own</hostname></system></config>`);
  });

  it("keeps the content of a rule that the device took over from its manager with the marks inside", () => {
    const device = (rules: string) =>
      `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><rulebase><security><rules>${rules}</rules></security></rulebase></entry></vsys></entry></devices></config>`;
    const rule = (content: string, mark = "") => `<entry name="r"${mark}>${content}</entry>`;
    const from = '<from loc="DG"><member loc="DG">trust</member></from>';
    expect(local(device(rule(from)))).toBe(device(rule(from)));
    expect(local(device(`${rule(from, ' loc="DG"')}<entry name="own"/>`))).toBe(device('<entry name="own"/>'));
    expect(local(device(rule(`${from}<description ptpl="T" src="tpl">x</description>`)))).toBe(device(rule(from)));
  });

  it("returns nothing for a tree that is completely inherited", () => {
    expect(local(`<config ptpl="T"><a ptpl="T">1</a></config>`)).toBeUndefined();
  });
});

describe("withoutReadOnly", () => {
  const part = (xml: string) => writeXml(withoutReadOnly(parseXml(xml), panosShape()), { secrets: "label" });

  it("omits fields that only the platform writes, also in a template", () => {
    const inside = '<readonly><max-internal-id>7</max-internal-id></readonly><shared><tag><entry name="t"/></tag></shared>';
    const kept = '<shared><tag><entry name="t"/></tag></shared>';
    expect(part(`<config>${inside}</config>`)).toBe(`<config>${kept}</config>`);
    const template = (config: string) =>
      `<config><devices><entry name="localhost.localdomain"><template><entry name="x"><config>${config}</config></entry></template></entry></devices></config>`;
    expect(part(template(inside))).toBe(template(kept));
  });

  it("returns a tree without such fields unchanged", () => {
    const tree = parseXml("<config><shared><tag><entry name='t'/></tag></shared></config>");
    expect(withoutReadOnly(tree, panosShape())).toBe(tree);
  });
});
