import { describe, expect, it } from "vitest";
import { localPart } from "../../src/import/local.js";
import { parseXml } from "../../src/tree/xml/parse.js";
import { writeXml } from "../../src/tree/xml/write.js";

function local(xml: string): string | undefined {
  const part = localPart(parseXml(xml));
  return part === undefined ? undefined : writeXml(part, { secrets: "label" });
}

describe("localPart", () => {
  it("gives a tree without inherited nodes back as it is", () => {
    const tree = parseXml("<config><a admin='x'><entry name='1'/></a></config>");
    expect(localPart(tree)).toBe(tree);
  });

  it("leaves out what a template or a manager put there", () => {
    const xml = `<config><zone><entry name="t" ptpl="T" src="tpl"><network><layer3/></network></entry><entry name="own"/></zone><address loc="DG"><entry name="x"><fqdn>y</fqdn></entry></address></config>`;
    expect(local(xml)).toBe(`<config><zone><entry name="own"/></zone></config>`);
  });

  it("keeps a local override inside inherited elements that are all marked", () => {
    const xml = `<config><system src="tpl" ptpl="T"><hostname>own</hostname><timezone src="tpl" ptpl="T">UTC</timezone></system></config>`;
    expect(local(xml)).toBe(`<config><system src="tpl" ptpl="T"><hostname>own</hostname></system></config>`);
  });

  it("has nothing of a tree that is wholly inherited", () => {
    expect(local(`<config ptpl="T"><a ptpl="T">1</a></config>`)).toBeUndefined();
  });
});
