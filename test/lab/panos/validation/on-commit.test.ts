import { describe, expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { commitFindings } from "../../../../src/lab/panos/validation/on-commit.js";

const findings = (address: string): string[] =>
  commitFindings(
    parseXml(
      `<config><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1"><address>${address}</address></entry></vsys></entry></devices></config>`,
    ),
  );

describe("commit", () => {
  it.each(["<entry name='a'/>", "<entry name='a'><ip-netmask/></entry>", "<entry name='a'><description>d</description></entry>"])(
    "misses the value of %s",
    (address) => {
      expect(findings(address)).toEqual(["address -> a is missing one of ip-netmask, ip-range, ip-wildcard or fqdn"]);
    },
  );

  it("accepts an address with a value", () => {
    expect(findings("<entry name='a'><fqdn>a.example.net</fqdn></entry>")).toEqual([]);
  });
});
