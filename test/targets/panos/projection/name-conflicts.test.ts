import { expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { overridesOf } from "../../../../src/targets/panos/projection/name-conflicts.js";

const config = (system: string, zones: string, servers = "") =>
  parseXml(
    `<config><mgt-config><users/></mgt-config><devices><entry name="localhost.localdomain"><deviceconfig><system>${system}<ntp-servers>${servers}</ntp-servers></system></deviceconfig><vsys><entry name="vsys1"><zone>${zones}</zone></entry></vsys></entry></devices></config>`,
  );
const zone = (name: string, inner: string) => `<entry name="${name}"><network><layer3>${inner}</layer3></network></entry>`;
const found = (pushed: ReturnType<typeof config>, local: ReturnType<typeof config>) =>
  [...overridesOf(pushed, local)].map(({ path, wanted, found: other }) => [
    path.toString().replace(/^.*localhost.localdomain'\]/, ""),
    wanted,
    other,
  ]);

it("finds local values in place of pushed ones, and treats a local entry as a complete replacement", () => {
  const pushed = config("<timezone>UTC</timezone><domain>a</domain>", zone("in", "<member>ethernet1/1</member>") + zone("out", ""));
  const local = config("<timezone>UTC</timezone><domain>b</domain><hostname>own</hostname>", zone("in", "") + zone("own", ""));
  expect(found(pushed, local)).toEqual([
    ["/deviceconfig/system/domain", "a", "b"],
    ["/vsys/entry[@name='vsys1']/zone/entry[@name='in']", "ethernet1/1", undefined],
  ]);
  expect(found(pushed, config("<hostname>own</hostname>", zone("own", "<member>ethernet1/9</member>")))).toEqual([]);
  expect(found(pushed, pushed)).toEqual([]);
});
