import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { ADDRESS, admin, DEVICE, find, finishJobs, lab, login } from "../support.js";

/**
 * System information as in docs/contributing/spec-firewall.md, and fields that clients need
 * (docs/contributing/devices/panos.md#system-information).
 */
const FIELDS = [
  ...[
    "hostname",
    "ip-address",
    "netmask",
    "default-gateway",
    "ipv6-address",
    "ipv6-link-local-address",
    "ipv6-default-gateway",
    "mac-address",
  ],
  ...[
    "time",
    "uptime",
    "devicename",
    "family",
    "model",
    "serial",
    "sw-version",
    "app-version",
    "app-release-date",
    "av-version",
    "av-release-date",
  ],
  ...[
    "threat-version",
    "threat-release-date",
    "url-filtering-version",
    "logdb-version",
    "platform-family",
    "logger_mode",
    "vpn-disable-mode",
  ],
  ...[
    "operational-mode",
    "multi-vsys",
    "remote-client-package-version",
    "analysis-version",
    "analysis-release-date",
    "remote-datafile-version",
  ],
  ...["remote-datafile-release-date", "wildfire-version", "vm-license", "vm-uuid", "vm-cpuid"],
];

describe("system information", () => {
  it("has all fields, in the specification's formats", async () => {
    const { client, clock } = await admin({ system: { version: "10.2.3", serial: "0123456789" } });
    clock.advance(90_061_000);
    const reply = await client.op("<show><system><info></info></system></show>");
    const fields = new Map((find(reply.root, "result", "system")?.children ?? []).map((child) => [child.tag, child.text]));
    expect(FIELDS.filter((field) => !fields.has(field))).toEqual([]);
    expect(reply.code).toBeUndefined();
    expect([fields.get("hostname"), fields.get("sw-version"), fields.get("serial"), fields.get("uptime")]).toEqual([
      "lab-fw",
      "10.2.3",
      "0123456789",
      "1 days, 1:01:01",
    ]);
    expect(fields.get("app-release-date")).toMatch(/^\d{4}\/\d\d\/\d\d {2}\d\d:\d\d:\d\d$/);
    expect(fields.get("time")).toMatch(/\n$/);
    expect([fields.get("logger_mode"), fields.get("multi-vsys"), fields.get("analysis-release-date")]).toEqual(["False", "off", "unknown"]);
  });
});

describe("operational commands", () => {
  it("that are unknown, or invalid XML, answer code 17", async () => {
    const { client } = await admin();
    const unknown = await client.op("<show><bogus/></show>");
    expect([unknown.status, unknown.code, unknown.lines[0]]).toEqual(["error", "17", "show -> bogus is invalid"]);
    const malformed = await client.op("show system info");
    expect([malformed.code, malformed.lines[0]]).toEqual(["17", "invalid client cli"]);
    const vsys = await client.op("<show><system><info/></system></show>", { vsys: "vsys99" });
    expect(vsys.lines[0]).toBe("vsys99 is invalid vsys");
  });

  it("show the configurations, completely and by xpath", async () => {
    const { client } = await admin();
    await client.config("set", ADDRESS, "<entry name='new'><ip-netmask>1.1.1.1</ip-netmask></entry>");
    const text = async (view: string, inner = ""): Promise<string> =>
      (await client.op(`<show><config><${view}>${inner}</${view}></config></show>`)).text;
    expect([(await text("running")).includes('"new"'), (await text("candidate")).includes('"new"')]).toEqual([false, true]);
    expect(await text("running", `<xpath>${DEVICE}/deviceconfig/system/hostname</xpath>`)).toContain(
      "<result><hostname>lab-fw</hostname></result>",
    );
    expect(await text("effective-running", "<xpath>/config/none</xpath>")).toContain("<result></result>");
  });

  it("return the current user", async () => {
    const { client } = await admin();
    const entry = find((await client.op("<show><admins/></show>")).root, "result", "admins", "entry");
    expect([entry?.children[0]?.tag, find(entry ?? client.state.running, "admin")?.text]).toEqual(["self", "admin"]);
  });

  it("return the state of a pair, which can change", async () => {
    const single = await admin();
    expect((await single.client.op("<show><high-availability><state/></high-availability></show>")).text).toContain(
      "<enabled>no</enabled>",
    );
    const { lab: pair } = await lab({ name: "a", peer: "b" }, { name: "b" });
    const clients = await Promise.all(pair.devices.map((device) => login(device)));
    const states = (): Promise<(string | undefined)[]> =>
      Promise.all(
        clients.map(async (each) => {
          const { root } = await each.op("<show><high-availability><state/></high-availability></show>");
          return find(root, "result", "group", "local-info", "state")?.text;
        }),
      );
    expect(await states()).toEqual(["active", "passive"]);
    pair.fault({ effect: { kind: "fail-over" } });
    await clients[0]?.op("<show><clock/></show>");
    expect(await states()).toEqual(["passive", "active"]);
  });

  it("store a comment for the audit", async () => {
    const { client } = await admin();
    const xpath = `${ADDRESS}/entry[@name='web-1']`;
    await client.op(`<set><audit-comment><xpath>${xpath}</xpath><comment>ticket 7</comment></audit-comment></set>`);
    const read = await client.op(`<show><config><list><audit-comments><xpath>${xpath}</xpath></audit-comments></list></config></show>`);
    expect(read.text).toContain("<comment>ticket 7</comment>");
  });
});

describe("other types", () => {
  it("version returns model and version", async () => {
    const { client } = await admin({ system: { version: "11.1.4" } });
    expect((await client.send({ type: "version" })).text).toContain("<sw-version>11.1.4</sw-version>");
  });

  it("export returns the running configuration, and a certificate as a file", async () => {
    const { client, clock } = await admin();
    expect((await client.send({ type: "export", category: "configuration" })).root.tag).toBe("config");
    await client.config("set", "/config/shared/certificate", "<entry name='Root'><public-key>PEM</public-key></entry>");
    await client.commit();
    finishJobs(client.state, clock);
    const request = { type: "export", category: "certificate", "certificate-name": "Root" };
    const missing = await client.send(request);
    expect([missing.http, missing.lines[0]]).toEqual([400, expect.stringContaining('"format"')]);
    const file = await client.send({ ...request, format: "pem" });
    expect([file.contentType, file.text]).toEqual(["application/octet-stream", "PEM"]);
  });

  it("export returns the device state as an archive that tar reads", async () => {
    const { client } = await admin();
    const url = `${client.device.plainUrl}/api/?${new URLSearchParams({ type: "export", category: "device-state", key: client.key })}`;
    const reply = await fetch(url);
    expect(reply.headers.get("content-disposition")).toBe("attachment; filename=device_state_cfg.tgz");
    const input = Buffer.from(await reply.arrayBuffer());
    expect(execFileSync("tar", ["-tzf", "-"], { input, encoding: "utf8" })).toBe("running-config.xml\n");
    const running = await client.send({ type: "export", category: "configuration" });
    expect(execFileSync("tar", ["-xzOf", "-"], { input, encoding: "utf8" })).toBe(running.text);
  });

  it("import accepts a certificate and a configuration from a multipart body", async () => {
    const { client } = await admin();
    const upload = async (query: Record<string, string>, content: string): Promise<string> => {
      const form = new FormData();
      form.append("file", new Blob([content]), "saved.xml");
      const url = `${client.device.plainUrl}/api/?${new URLSearchParams({ type: "import", key: client.key, ...query })}`;
      return (await fetch(url, { method: "POST", body: form })).text();
    };
    expect(await upload({ category: "configuration" }, "<config><shared/></config>")).toContain("saved.xml saved");
    expect(await upload({ category: "configuration" }, "<config><shared>")).toContain('code="18"');
    expect(client.state.saved.byName.has("saved.xml")).toBe(true);
    await upload({ category: "certificate", "certificate-name": "c", format: "pem" }, "PEM");
    expect((await client.config("get", "/config/shared/certificate/entry[@name='c']")).text).toContain("PEM");
  });

  it("user-id maps users and tags to addresses", async () => {
    const { client } = await admin();
    const send = (payload: string): Promise<unknown> =>
      client.send({ type: "user-id", cmd: `<uid-message><type>update</type><payload>${payload}</payload></uid-message>` });
    const user = async (): Promise<string> =>
      (await client.op("<show><user><ip-user-mapping-mp><ip>192.0.2.1</ip></ip-user-mapping-mp></user></show>")).text;
    await send('<login><entry name="eva" ip="192.0.2.1"/></login>');
    expect(await user()).toContain("<user>eva</user>");
    await send('<logout><entry name="eva" ip="192.0.2.1"/></logout>');
    expect(await user()).toContain("<result></result>");
    await send('<register><entry ip="192.0.2.1"><tag><member>t1</member><member>t2</member></tag></entry></register>');
    await send('<unregister><entry ip="192.0.2.1"><tag><member>t1</member></tag></entry></unregister>');
    expect((await client.op("<show><object><registered-ip><ip>192.0.2.1</ip></registered-ip></object></show>")).text).toContain(
      "<tag><member>t2</member></tag>",
    );
  });

  it("report is fetched as a job, over the last hour", async () => {
    const { client } = await admin();
    const created = await client.send({ type: "report", reporttype: "dynamic", reportname: "top-applications-summary" });
    const id = find(created.root, "result", "job")?.text ?? "";
    const report = find((await client.send({ type: "report", action: "get", "job-id": id })).root, "result", "report");
    const at = (name: string): number => Number(report?.attributes?.get(name));
    expect(at("end-epoch") - at("start-epoch")).toBe(3599);
    expect(report?.children[0]?.children[0]?.text).toBe("web-browsing");
    expect((await client.send({ type: "report", reportname: "none" })).code).toBe("17");
  });
});
