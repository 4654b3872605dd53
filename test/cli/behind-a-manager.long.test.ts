import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningLab, startLab } from "../../src/lab/lab.js";
import { setConnected } from "../../src/lab/panos/manager/push.js";
import { managed, pushOf, SERIALS } from "../lab/panos/manager/managed-lab.js";
import { runIn } from "./run-in.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const VSYS = `${DEVICE}/vsys/entry[@name='vsys1']`;

let folder: string;
let lab: RunningLab;

const device = (name: string) => lab.devices.find((each) => each.name === name) ?? expect.fail();
const words = (...all: string[]) => runIn(folder, all, { PW: "plumbline" });
const explain = (target: string, xpath: string, ...more: string[]) => words("explain", xpath, target, ...more);

/** `a` has no address of its own, `b` has one. */
function configure(more = "", a = `manager: manager, identity: { serial: "${SERIALS.a}" }`): void {
  const logIn = 'tls: { ca: ca.pem }, credentials: { username: plumbline, password: "${env:PW}" }';
  const targets = [
    `manager: { kind: panos, url: "${device("manager").url}", ${logIn} }`,
    `a: { kind: panos, ${a} }`,
    `b: { kind: panos, manager: manager, url: "${device("b").url}", ${logIn} }`,
    ...(more === "" ? [] : [more]),
  ];
  writeFileSync(join(folder, "plumbline.yaml"), `format: 1\nowner: us\ndocuments: [docs]\ntargets:\n  ${targets.join("\n  ")}\n`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-behind-"));
  mkdirSync(join(folder, "docs"));
  const administrators = ["plumbline", "alice"].map((name) => ({ name, password: name, role: { kind: "superuser" as const } }));
  lab = await startLab({ devices: managed({ administrators }).map((each) => ({ administrators, ...each, jobDuration: 0 })) });
  writeFileSync(join(folder, "ca.pem"), lab.caPem);
  for (const name of ["a", "b"])
    writeFileSync(
      join(folder, `docs/${name}.yaml`),
      `target: ${name}\nscope: vsys1\nconfig: { address: { own-${name}: { ip-netmask: 192.0.2.8 } } }\n`,
    );
  const cmd = pushOf({ branch: [], plants: [] });
  expect(device("manager").act("alice", { type: "commit", action: "all", cmd })).toMatchObject({ status: "success" });
  const own = "<ip-netmask>192.0.2.99</ip-netmask>";
  device("b").act("alice", { type: "config", action: "set", xpath: `${VSYS}/address/entry[@name='dns']`, element: own });
  device("b").act("alice", {
    type: "config",
    action: "set",
    xpath: `${DEVICE}/deviceconfig/system`,
    element: "<domain>own.example.net</domain>",
  });
  device("b").act("alice", { type: "commit", cmd: "<commit/>" });
  configure();
});

afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("a firewall behind its manager", () => {
  it("is read through the manager without an address, and only its local configuration is planned", async () => {
    const before = device("a").state.journal.length;
    const { code, text } = await words("plan", "--target", "a");
    expect([code, text]).toEqual([2, expect.stringContaining("own-a")]);
    expect(text).not.toContain("proxy");
    expect(text).toContain(SERIALS.a);
    expect(device("a").state.journal.length).toBe(before);
    const asked = device("manager").state.journal.filter(({ params }) => params.target === SERIALS.a);
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked.map(({ type }) => type))).toEqual(new Set(["op", "config"]));
    expect((await words("reconcile", "--target", "a")).code).toBe(2);
    expect(device("a").state.candidate.pending).toEqual([]);
  });

  it("shows the group or template of each value, with the values of variables", async () => {
    const object = await explain("a", `${VSYS}/address/entry[@name='proxy']`);
    expect(object.text).toMatch(/pushed +ip-netmask 192\.0\.2\.3\n/);
    expect(object.text).toMatch(
      /by +device-group\/offices of manager\n +\/config\/.*device-group\/entry\[@name='offices'\]\/address\/entry\[@name='proxy'\]/,
    );
    const rule = await explain("a", `${VSYS}/rulebase/security/rules/entry[@name='mine']/action`);
    expect(rule.text).toContain("managed by its manager");
    expect(rule.text).toMatch(/by +device-group\/branch of manager\n.*pre-rulebase\/security\/rules\/entry\[@name='mine'\]\/action\n/);
    for (const [target, value] of [
      ["a", "example.net"],
      ["b", "b.example.net"],
    ] as const) {
      const { out } = await explain(target, `${DEVICE}/deviceconfig/system/domain`, "--format", "json");
      expect(JSON.parse(out).targets[0].handed).toMatchObject({
        manager: "manager",
        by: "template/branch-net",
        value: expect.stringContaining(`>${value}<`),
      });
    }
  });

  it("shows which local objects hide a pushed value", async () => {
    const own = await explain("b", `${DEVICE}/deviceconfig/system/domain`);
    expect(own.text).toMatch(/hidden by +\/config\/.*\/domain of the firewall: its own value counts/);
    const twin = await explain("b", `${VSYS}/address/entry[@name='dns']`);
    expect(twin.text).toMatch(/by +shared of manager\n +\/config\/shared\/address\/entry\[@name='dns'\]/);
    expect(twin.text).toMatch(/hidden by .*entry\[@name='dns'\] of the firewall: its own one counts/);
    expect((await explain("a", `${VSYS}/address/entry[@name='dns']`)).text).not.toContain("hidden");
    expect((await explain("a", `${VSYS}/address/entry[@name='nothing']`)).text).not.toContain("handed");
  });

  it("has its rules evaluated among the pushed rules", async () => {
    const { code, out } = await words("reach", "a", "--from", "inside", "--to", "inside");
    expect(code).toBe(0);
    expect(out).toMatch(/allow +above +\S*device-group\/entry\[@name='all'\]\/pre-rulebase\//);
    expect(out).not.toContain("its pushed rules");
  });

  it("has no logs through the manager, and is unreachable while disconnected", async () => {
    expect(await words("logs", "a", "--type", "traffic")).toMatchObject({
      code: 1,
      text: expect.stringContaining("logs-not-offered"),
    });
    setConnected(device("a").state, false);
    expect(await words("plan", "--target", "a")).toMatchObject({ code: 1, text: expect.stringContaining("[device-unreachable]") });
    setConnected(device("a").state, true);
  });

  it.each([
    ["mode", `manager: manager, mode: enforce, identity: { serial: "1" }`, "is not written"],
    ["identity", "manager: manager", "by its serial number"],
    ["manager", "manager: nobody", "no target that manages firewalls"],
    ["manager", "manager: b", "no target that manages firewalls"],
    ["manager", "manager: a", "no target that manages firewalls"],
    ["url", "mode: observe", "url: is missing"],
  ])("is refused for its %s: %s", async (_, a, says) => {
    configure("", a);
    expect(await words("validate")).toMatchObject({ code: 1, text: expect.stringContaining(says) });
    configure();
  });
});
