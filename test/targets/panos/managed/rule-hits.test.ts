import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../../src/core/secret.js";
import { startLab } from "../../../../src/lab/lab.js";
import { setConnected } from "../../../../src/lab/panos/manager/push.js";
import { openPanosReader } from "../../../../src/targets/panos/reader.js";
import { afterTest } from "../../../after-test.js";
import { managed, pushOf, SERIALS } from "../../../lab/panos/manager/managed-lab.js";
import { configuration, dependencies } from "../fixtures.js";

const FLOW = { from: "inside", to: "outside", source: "10.1.0.5", destination: "192.0.2.9", application: "ssl", port: 443 };

/** A manager whose rules were pushed to its firewalls, with a session on firewall `a`. */
async function opened() {
  const lab = await startLab({ devices: managed().map((each) => ({ ...each, jobDuration: 0 })) });
  afterTest(() => lab.close());
  const stateOf = (name: string) => lab.devices.find((each) => each.name === name)?.state ?? expect.fail();
  lab.device.act("admin", { type: "commit", action: "all", cmd: pushOf({ branch: [], plants: [] }) });
  for (const ask of [1, 2, 3]) lab.device.act("admin", { type: "op", cmd: `<show><jobs><id>${ask}</id></jobs></show>` });
  stateOf("a").traffic.add([FLOW]);
  const credentials = { username: "admin", password: new SecretValue("admin", "${env:P}") };
  const reader = openPanosReader(configuration(lab.device.url, { tls: { insecure: true }, credentials }), dependencies());
  afterTest(() => reader.close());
  const hits = (scope: string, rules: Parameters<NonNullable<typeof reader.counters.managedRuleHits>>[1]) =>
    reader.counters.managedRuleHits?.(scope, rules);
  return { hits, stateOf, manager: lab.device.state };
}

describe("hit counts of rules of a manager", () => {
  it("are read for each connected firewall that has the rule", async () => {
    const { hits, stateOf } = await opened();
    const above = [{ level: "pre", name: "above" }] as const;
    const found = await hits("device-group/all", above);
    expect(found?.map(({ serial, vsys, count }) => [serial, vsys, count === 0])).toEqual([
      [SERIALS.a, "vsys1", false],
      [SERIALS.b, "vsys1", true],
      [SERIALS.c, "vsys1", true],
      [SERIALS.c, "vsys2", true],
    ]);
    expect(found?.[0]?.last).toBeGreaterThan(0);
    const own = [...above, { level: "pre", name: "of a" }, { level: "post", name: "of a" }] as const;
    expect((await hits("device-group/branch", own))?.map(({ rule, serial, level }) => [rule, serial, level])).toEqual([
      ["of a", SERIALS.a, "pre"],
    ]);
    setConnected(stateOf("b"), false);
    expect((await hits("device-group/all", above))?.map(({ serial }) => serial)).not.toContain(SERIALS.b);
  });

  it("are unknown for rules of shared", async () => {
    const { hits } = await opened();
    expect(await hits("shared", [{ level: "post", name: "log the rest" }])).toBeUndefined();
  });
});
