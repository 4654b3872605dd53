import { describe, expect, it } from "vitest";
import { mergeDuplicates } from "../../../src/core/tree/merge-duplicates.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { writeXml } from "../../../src/core/tree/xml/write.js";

const merge = (xml: string) => {
  const { root, duplicates } = mergeDuplicates(parseXml(xml));
  return { xml: writeXml(root, { secrets: "label" }), twins: duplicates.map(String) };
};

describe("duplicates in a configuration", () => {
  it("become one entry, as on a device that loads the file", () => {
    const group = (inside: string) => `<entry name="lab">${inside}</entry>`;
    const first = group("<devices/><address><entry name='a'><fqdn>old</fqdn></entry></address>");
    const second = group("<address><entry name='a'><fqdn>new</fqdn></entry><entry name='b'/></address><tags><member>x</member></tags>");
    expect(merge(`<config><device-group>${first}<entry name="other"/>${second}</device-group></config>`)).toEqual({
      xml: `<config><device-group><entry name="lab"><devices/><address><entry name="a"><fqdn>new</fqdn></entry><entry name="b"/></address><tags><member>x</member></tags></entry><entry name="other"/></device-group></config>`,
      twins: ["/config/device-group/entry[@name='lab']"],
    });
  });

  it("become one container with unique members", () => {
    const { xml, twins } = merge("<config><tag><member>a</member></tag><tag><member>b</member><member>a</member></tag></config>");
    expect(xml).toBe("<config><tag><member>a</member><member>b</member></tag></config>");
    expect(twins).toEqual(["/config/tag"]);
  });

  it("stay unchanged if they have no name, and a tree without duplicates stays unchanged", () => {
    const tree = parseXml(
      "<config><l><entry><a/></entry><entry><a/></entry></l><x>1</x><x>2</x><m><member>a</member><member>a</member></m></config>",
    );
    expect(mergeDuplicates(tree)).toEqual({ root: tree, duplicates: [] });
    expect(mergeDuplicates(tree).root).toBe(tree);
  });
});
