import { describe, expect, it } from "vitest";
import { parsePath } from "../../../src/core/tree/xpath/xpath.js";
import { openPanosReader } from "../../../src/targets/panos/reader.js";
import type { PanosTargetConfiguration } from "../../../src/targets/panos/settings.js";
import { configuration, dependencies, failure, found, haState, invalidCredential, result, systemInfo, unknownCommand } from "./fixtures.js";
import { scriptedDevice } from "./scripted-device.js";
import { CALLS, configurationTable, QUIET, type Table, tableScript } from "./table-device.js";

async function reader(table: Table = QUIET, overrides: Partial<PanosTargetConfiguration> = {}) {
  const device = await scriptedDevice(tableScript(table));
  const injected = dependencies();
  return { device, injected, target: openPanosReader(configuration(device.url, overrides), injected) };
}

describe("opening", () => {
  it("returns identity and capabilities", async () => {
    const { target } = await reader({ ...QUIET, [CALLS.ha]: haState("active") });
    const { identity, capabilities } = await target.open();
    expect(identity).toEqual({ serial: "0123456789", model: "PA-VM", version: "11.1.2", hostname: "edge", role: "active" });
    expect(capabilities).toMatchObject({
      candidate: true,
      atomicBatch: true,
      move: true,
      rename: true,
      locks: true,
      changeList: true,
      partialCommit: true,
      partialRevert: true,
      validate: true,
      maxRequestBytes: 5_000_000,
      maxBatchOperations: 10_000,
      maxPendingChanges: undefined,
    });
    await target.close();
  });

  it.each([
    ["", undefined],
    ["<running-sync>synchronized</running-sync><running-sync-enabled>yes</running-sync-enabled>", true],
    ["<running-sync>not synchronized</running-sync><running-sync-enabled>yes</running-sync-enabled>", false],
    ["<running-sync>not synchronized</running-sync><running-sync-enabled>no</running-sync-enabled>", undefined],
  ])("asks a pair each time whether the peer has what is running: %s", async (said, isSynchronized) => {
    const answer = haState("active");
    const { target } = await reader({ ...QUIET, [CALLS.ha]: answer.replace("</group>", `${said}</group>`) });
    await target.open();
    expect((await target.open()).isSynchronized).toBe(isSynchronized);
    await target.close();
  });

  it("accepts a device that supports only the specification, and continues", async () => {
    const table = configurationTable(`<config><shared><tag><entry name="dmz"/></tag></shared></config>`);
    const { target, injected } = await reader({ "config/get": table["config/get"] ?? "" });
    const { identity, capabilities } = await target.open();
    expect(identity.role).toBe("standalone");
    const { atomicBatch, move, rename, locks, changeList, partialCommit, partialRevert, validate } = capabilities;
    expect([atomicBatch, move, rename, locks, changeList, partialCommit, partialRevert, validate]).toEqual(Array(8).fill(false));
    expect((await target.read([parsePath("/config/shared/tag")], "running")).children).toHaveLength(1);
    expect(injected.warnings.join()).toMatch(/cannot show its running configuration/);
    expect([await target.pendingAndLocks.pending(), await target.pendingAndLocks.locks()]).toEqual([[], []]);
    await target.close();
  });

  it.each([
    ["10.0.4", false],
    ["9.1.16-h3", false],
    ["10.1.0", true],
    ["unknown", false],
  ])("knows batches by version %s: %s", async (version, expected) => {
    const { target } = await reader({ ...QUIET, [CALLS.system]: systemInfo({ "sw-version": version }) });
    expect((await target.open()).capabilities.atomicBatch).toBe(expected);
    await target.close();
  });

  it("reports any other failure of a probe", async () => {
    const { target } = await reader({
      ...QUIET,
      [CALLS.configLocks]: `<response status="error" code="16"><msg><line>Unauthorized</line></msg></response>`,
    });
    expect((await failure(target.open())).code).toBe("role-not-authorized");
    await target.close();
  });

  it("takes limits from the configuration", async () => {
    const { target } = await reader(QUIET, { maxRequestBytes: 1000, maxBatchOperations: 7, maxPendingChanges: 250 });
    expect((await target.open()).capabilities).toMatchObject({ maxRequestBytes: 1000, maxBatchOperations: 7, maxPendingChanges: 250 });
    await target.close();
  });

  it("reads the identity of the same device again, so that a failover is detected", async () => {
    const { target, device } = await reader({
      ...QUIET,
      [CALLS.ha]: (_, count) => haState(count === 1 ? "active" : "passive"),
    });
    expect((await target.open()).identity.role).toBe("active");
    const before = device.asked.length;
    expect((await target.open()).identity.role).toBe("passive");
    expect(device.asked.length - before).toBe(2);
    await target.close();
  });

  it("may be repeated after a failure", async () => {
    const { target } = await reader({
      ...QUIET,
      keygen: (_, count) => (count === 1 ? invalidCredential : `<response status="success"><result><key>K</key></result></response>`),
    });
    expect((await failure(target.open())).code).toBe("login-refused");
    expect((await target.open()).identity.serial).toBe("0123456789");
    await target.close();
  });

  it.each([{ serial: "9999999999" }, { model: "PA-220" }])("refuses another device than the configured one (%j)", async (identity) => {
    const { target } = await reader(QUIET, { identity });
    const error = await failure(target.open());
    expect([error.code, error.severity]).toEqual(["wrong-device", "refused"]);
    await target.close();
  });

  it("reports a device that does not identify itself", async () => {
    const { target } = await reader({ ...QUIET, [CALLS.system]: result("") });
    expect((await failure(target.open())).code).toBe("system-info-missing");
    await target.close();
  });
});

describe("a pair", () => {
  async function pair(first: string, second: string, identity: PanosTargetConfiguration["identity"] = {}) {
    const devices = await Promise.all(
      [first, second].map((state, index) =>
        scriptedDevice(tableScript({ ...QUIET, [CALLS.ha]: haState(state), [CALLS.system]: systemInfo({ serial: `00${index + 1}` }) })),
      ),
    );
    const [a, b] = devices.map(({ url }) => url) as [string, string];
    return openPanosReader(configuration(a, { peers: [b], identity }), dependencies());
  }

  it.each([
    ["active", "passive", "001"],
    ["passive", "active", "002"],
    ["active-secondary", "active-primary", "002"],
    ["suspended", "active", "002"],
  ])("%s and %s: works with the active one", async (first, second, serial) => {
    const target = await pair(first, second);
    expect((await target.open()).identity).toMatchObject({ serial, role: "active" });
    await target.close();
  });

  it.each([
    ["active", "active"],
    ["passive", "passive"],
    ["suspended", "initial"],
  ])("%s and %s: refused", async (first, second) => {
    const target = await pair(first, second);
    const error = await failure(target.open());
    expect([error.code, error.severity]).toEqual(["no-single-active-peer", "refused"]);
    await target.close();
  });

  it("is the configured one if either device has the serial number", async () => {
    for (const serial of ["001", "002"]) {
      const target = await pair("passive", "active", { serial });
      expect((await target.open()).identity.serial).toBe("002");
      await target.close();
    }
    const stranger = await pair("passive", "active", { serial: "003" });
    expect((await failure(stranger.open())).code).toBe("wrong-device");
    await stranger.close();
  });

  it("continues with an active device while the other one is down, and reports it", async () => {
    const device = await scriptedDevice(tableScript({ ...QUIET, [CALLS.ha]: haState("active") }));
    const injected = dependencies();
    const target = openPanosReader(configuration(device.url, { peers: ["http://127.0.0.1:1"] }), injected);
    expect((await target.open()).identity.role).toBe("active");
    expect(injected.warnings.join()).toMatch(/one peer does not answer/);
    await target.close();
  });
});

describe("status", () => {
  it("returns the specification's fields in order, then the others, with the device's names", async () => {
    const xml = result(
      "<system><multi-vsys>off</multi-vsys><wildfire-version>1</wildfire-version><plugin_versions><entry name='dlp'><version>3</version></entry></plugin_versions>" +
        "<time>Sat Nov 21 04:00:00 2026\n</time><global-protect-client-package-version>0</global-protect-client-package-version><hostname>edge</hostname>" +
        "<cloud-mode>x</cloud-mode><sw-version>11</sw-version><netmask>255.255.255.0</netmask></system>",
    );
    const { target } = await reader({ ...QUIET, [CALLS.system]: xml });
    expect([...(await target.status())]).toEqual([
      ["hostname", "edge"],
      ["netmask", "255.255.255.0"],
      ["time", "Sat Nov 21 04:00:00 2026"],
      ["sw-version", "11"],
      ["global-protect-client-package-version", "0"],
      ["wildfire-version", "1"],
      ["multi-vsys", "off"],
      ["plugin_versions/entry/dlp/version", "3"],
      ["cloud-mode", "x"],
    ]);
    await target.close();
  });

  it("accepts the neutral names of the specification as well", async () => {
    const { target } = await reader({
      ...QUIET,
      [CALLS.system]: result("<system><analysis-version>1</analysis-version><serial>2</serial></system>"),
    });
    expect([...(await target.status()).keys()]).toEqual(["serial", "analysis-version"]);
    await target.close();
  });
});

describe("pending changes and locks", () => {
  it("lists the journal", async () => {
    const journal = `<journal><entry><xpath>/config/shared/address</xpath><owner>ann</owner><action>SET</action><component-type>x</component-type></entry></journal>`;
    const { target } = await reader({ ...QUIET, [CALLS.changes]: result(journal) });
    expect(await target.pendingAndLocks.pending()).toEqual([{ owner: "ann", xpath: "/config/shared/address", action: "SET" }]);
    await target.close();
  });

  it.each([
    ["yes", [{ owner: "unknown", xpath: "/config", action: "unknown" }]],
    ["no", []],
  ])("asks whether anything is pending where there is no list: %s", async (said, expected) => {
    const { target } = await reader({ ...QUIET, [CALLS.changes]: unknownCommand, [CALLS.pending]: result(said) });
    expect(await target.pendingAndLocks.pending()).toEqual(expected);
    expect((await target.open()).capabilities.changeList).toBe(false);
    await target.close();
  });

  it("lists configuration and commit locks of every scope", async () => {
    const entry = (name: string) =>
      `<entry name="ann"><type>config</type><name>${name}</name><created>2026/11/21 04:00:00</created><comment><![CDATA[plumbline/1 x]]></comment></entry>`;
    const { target } = await reader({
      ...QUIET,
      [CALLS.configLocks]: result(`<config-locks>${entry("vsys1")}</config-locks>`),
      [CALLS.commitLocks]: result(`<commit-locks><entry name="bob"><type>shared</type></entry></commit-locks>`),
    });
    expect(await target.pendingAndLocks.locks()).toEqual([
      { kind: "config", scope: "vsys1", owner: "ann", comment: "plumbline/1 x", created: "2026/11/21 04:00:00" },
      { kind: "commit", scope: "shared", owner: "bob", comment: "", created: undefined },
    ]);
    await target.close();
  });
});

describe("attribution", () => {
  const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";
  const marks = (admin: string, time: string) => `admin="${admin}" dirtyId="3" time="2026/11/20 ${time}"`;
  const rules = `<rules ${marks("root", "08:00:00")}><entry name="own" ${marks("ann", "09:00:00")}><action>allow</action></entry>
    <entry name="inner"><source ${marks("bob", "09:00:00")}/><from ${marks("cat", "10:00:00")}/></entry><entry name="bare"><action>deny</action></entry></rules>`;
  const log = (entries: string) => result(`<job><status>FIN</status><id>9</id></job><log><logs count="1">${entries}</logs></log>`);
  const created = `<response status="success" code="19"><result><msg><line>query job enqueued with jobid 9</line></msg><job>9</job></result></response>`;

  it.each([
    [`${RULES}/entry[@name='own']`, "ann", "2026/11/20 09:00:00"],
    [`${RULES}/entry[@name='own']/action`, "ann", "2026/11/20 09:00:00"],
    [`${RULES}/entry[@name='inner']`, "cat", "2026/11/20 10:00:00"],
    [`${RULES}/entry[@name='gone']`, "root", "2026/11/20 08:00:00"],
  ])("by the marks of the nearest node, read from the candidate once: %s", async (xpath, admin, time) => {
    const { target, device } = await reader({
      ...QUIET,
      "config/show": found("<rules><entry name='own'/></rules>"),
      "config/get": found(rules),
    });
    await target.read([parsePath(RULES)], "running");
    const path = parsePath(xpath);
    expect(await target.attribution(path, undefined)).toEqual({ admin, time });
    expect(await target.attribution(path, undefined)).toEqual({ admin, time });
    expect(device.asked.filter(({ call }) => call === "config/get")).toHaveLength(1);
    await target.close();
  });

  it("by the configuration log without marks: the newest change in, or of, the place", async () => {
    const record = (admin: string, time: string, cmd: string, path: string, outcome = "Succeeded") =>
      `<entry><admin>${admin}</admin><time_generated>2026/11/20 ${time}</time_generated><cmd>${cmd}</cmd><full-path>${path}</full-path><result>${outcome}</result></entry>`;
    const { target, device } = await reader({
      ...QUIET,
      "config/get": found("<rules><entry name='a'/><entry name='b'/></rules>"),
      log: created,
      "log/get": log(
        record("old", "07:00:00", "edit", `${RULES}/entry[@name='a']/action`) +
          record("ann", "09:00:00", "set", `${RULES}/entry[@name='a']/source`) +
          record("nobody", "10:00:00", "set", `${RULES}/entry[@name='a']`, "Failed") +
          record("eve", "08:00:00", "edit", RULES) +
          record("setter", "11:00:00", "set", RULES) +
          "<entry><admin>bob</admin><cmd>commit</cmd><full-path></full-path></entry>",
      ),
    });
    await target.read([parsePath(RULES)], "candidate");
    expect(await target.attribution(parsePath(`${RULES}/entry[@name='a']`), undefined)).toEqual({
      admin: "ann",
      time: "2026/11/20 09:00:00",
    });
    expect(await target.attribution(parsePath(`${RULES}/entry[@name='b']`), undefined)).toEqual({
      admin: "eve",
      time: "2026/11/20 08:00:00",
    });
    expect(device.asked.filter(({ call }) => call === "log")).toHaveLength(1);
    await target.read([parsePath(RULES)], "candidate");
    await target.attribution(parsePath(`${RULES}/entry[@name='b']`), undefined);
    expect(device.asked.filter(({ call }) => call === "log")).toHaveLength(2);
    await target.close();
  });

  it("is unknown if the device has no such log", async () => {
    const { target } = await reader({ ...QUIET, "config/get": found("<rules><entry name='a'/></rules>") });
    await target.read([parsePath(RULES)], "candidate");
    expect(await target.attribution(parsePath(`${RULES}/entry[@name='a']`), undefined)).toBeUndefined();
    await target.close();
  });
});
