import { describe, expect, it } from "vitest";
import type { ManagedFirewall } from "../../../../src/outcome/managed-firewalls.js";
import { pushCommand } from "../../../../src/targets/panos/client/commands.js";
import { commandOf, partsOf } from "../../../../src/targets/panos/push/parts.js";

const row = (serial: string, by: string, vsys?: string): ManagedFirewall => ({ serial, by, vsys, state: "out of sync", connected: true });
const words = (rows: readonly ManagedFirewall[]) =>
  partsOf(rows).map((part) => part.map(({ serial, vsys = "", by }) => `${serial}${vsys} ${by}`).join(", "));

describe("the jobs of a push", () => {
  it("are as few as possible: policies with templates, only policies, templates by their stacks", () => {
    const rows = [
      row("1", "device-group/a"),
      row("2", "device-group/b"),
      row("3", "device-group/b"),
      row("3", "template-stack/s"),
      row("4", "template-stack/s"),
      row("5", "template-stack/t"),
      row("6", "template-stack/s"),
    ];
    expect(words(rows)).toEqual([
      "3 device-group/b, 3 template-stack/s",
      "1 device-group/a, 2 device-group/b",
      "4 template-stack/s, 6 template-stack/s",
      "5 template-stack/t",
    ]);
  });

  it("never contain two firewalls with several virtual systems", () => {
    const rows = [
      row("1", "device-group/a", "vsys1"),
      row("1", "device-group/b", "vsys2"),
      row("2", "device-group/a", "vsys1"),
      row("3", "device-group/a"),
    ];
    expect(words(rows)).toEqual(["3 device-group/a", "1vsys1 device-group/a, 1vsys2 device-group/b", "2vsys1 device-group/a"]);
  });

  it("contain no more firewalls than a manager accepts, each completely", () => {
    const rows = ["1", "2", "3"].flatMap((serial) => [row(serial, "device-group/a"), row(serial, "template-stack/s")]);
    const serials = (perJob?: number) => partsOf(rows, perJob).map((part) => part.map(({ serial }) => serial).join(""));
    expect([serials(), serials(2), serials(1)]).toEqual([["112233"], ["1122", "33"], ["11", "22", "33"]]);
    expect(partsOf([], 2)).toEqual([]);
  });

  it("name serials, and every option", () => {
    const command = (rows: readonly ManagedFirewall[], validateOnly = false) =>
      Object.fromEntries(pushCommand(commandOf(rows, { description: "d", validateOnly })).parameters).cmd;
    expect(command([row("1", "device-group/a <b>"), row("2", "device-group/c")])).toBe(
      '<commit-all><shared-policy><device-group><entry name="a &lt;b&gt;"><devices><entry name="1"></entry></devices></entry><entry name="c"><devices><entry name="2"></entry></devices></entry></device-group><description>d</description><include-template>no</include-template><merge-with-candidate-cfg>no</merge-with-candidate-cfg><force-template-values>no</force-template-values><validate-only>no</validate-only></shared-policy></commit-all>',
    );
    expect(command([row("1", "device-group/a"), row("1", "template-stack/s")], true)).toMatch(
      /<include-template>yes<\/include-template>.*<validate-only>yes<\/validate-only>/,
    );
    expect(command([row("1", "template-stack/s"), row("2", "template-stack/s")])).toBe(
      "<commit-all><template-stack><name>s</name><device><member>1</member><member>2</member></device><description>d</description><merge-with-candidate-cfg>no</merge-with-candidate-cfg><force-template-values>no</force-template-values><validate-only>no</validate-only></template-stack></commit-all>",
    );
  });
});
