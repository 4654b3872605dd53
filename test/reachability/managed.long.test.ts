import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningLab, startLab } from "../../src/lab/lab.js";
import { setConnected } from "../../src/lab/panos/manager/push.js";
import { reportSchema } from "../../src/report/schema.js";
import { runIn } from "../cli/run-in.js";
import { managed, SERIALS } from "../lab/panos/manager/managed-lab.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";

let folder: string;
let lab: RunningLab;

const device = (name: string) => lab.devices.find((each) => each.name === name) ?? expect.fail();
const run = (...all: string[]) => runIn(folder, all, { PW: "plumbline" });

/** A rule that stops something for all firewalls below `all`, and how much of firewalls is looked at. */
function want(firewalls: string, more = ""): void {
  const logIn = 'tls: { ca: ca.pem }, credentials: { username: plumbline, password: "${env:PW}" }';
  writeFileSync(
    join(folder, "plumbline.yaml"),
    `format: 1\nowner: us\ndocuments: [docs]\ntargets:\n  manager: { kind: panos, url: "${lab.device.url}", mode: enforce, firewalls: ${firewalls}, ${logIn} }\n`,
  );
  const any = ["from", "to", "source", "destination", "application"].map((field) => `${field}: [any]`).join(", ");
  const config = `service: { tcp-23: { protocol: { tcp: { port: 23 } } } }\n  post-rulebase: { security: { rules: { $position: top, $entries: [{ name: no telnet, ${any}, service: [tcp-23], action: deny }] } } }`;
  writeFileSync(join(folder, "docs/all.yaml"), `target: manager\nscope: device-group/all\nconfig:\n  ${config}\n${more}`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-managed-insight-"));
  mkdirSync(join(folder, "docs"));
  const administrators = ["plumbline", "alice"].map((name) => ({ name, password: name, role: { kind: "superuser" as const } }));
  lab = await startLab({ devices: managed({ administrators }).map((each) => ({ administrators, ...each, jobDuration: 0 })) });
  writeFileSync(join(folder, "ca.pem"), lab.caPem);
});

afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

const set = (name: string, xpath: string, element: string) =>
  expect(device(name).act("alice", { type: "config", action: "set", xpath, element })).toMatchObject({ status: "success" });
const commit = (name: string) => device(name).act("alice", { type: "commit", cmd: "<commit/>" });
const telnet = "--service tcp/23 --from inside --to inside".split(" ");

describe("insight of a manager", () => {
  beforeAll(() => {
    const all = `${DEVICE}/device-group/entry[@name='all']`;
    expect(
      device("manager").act("alice", {
        type: "config",
        action: "delete",
        xpath: `${all}/pre-rulebase/security/rules/entry[@name='above']`,
      }),
    ).toMatchObject({ status: "success" });
    device("manager").act("alice", {
      type: "config",
      action: "delete",
      xpath: `${DEVICE}/device-group/entry[@name='branch']/pre-rulebase`,
    });
    commit("manager");
    const rule = `<from><member>any</member></from><to><member>any</member></to><source><member>any</member></source><destination><member>any</member></destination><application><member>any</member></application><service><member>any</member></service><action>allow</action>`;
    set("b", `${DEVICE}/vsys/entry[@name='vsys1']/rulebase/security/rules/entry[@name='let in']`, rule);
    commit("b");
  });

  it("is one answer for all firewalls with the same result, including local configuration", async () => {
    want("verify");
    const { text } = await run("plan");
    expect(text).toMatch(
      /becomes reachable +device-group\/branch, device-group\/plants +3 firewalls: fw-a, fw-c vsys1, fw-c vsys2 +0 openings · 1 closing · exact/,
    );
    expect(text).toMatch(/- any > any +any > any\n +tcp\/23 · any application +before: allowed by last of all\n/);
    expect(text).toMatch(/becomes reachable +device-group\/branch +fw-b +0 openings · 0 closings · exact\n/);
    expect(text).toContain("rule no telnet (docs/all.yaml:5) is new and decides no flow: let in decides all of its flows");
    const report: unknown = JSON.parse((await run("plan", "--format", "json")).out);
    const validate = new Ajv({ strict: false }).compile(reportSchema);
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    const vsys = { serial: SERIALS.c, hostname: "fw-c" };
    expect(report).toMatchObject({
      targets: [
        {
          insight: {
            scopes: [
              {
                firewalls: [
                  { serial: SERIALS.a, hostname: "fw-a" },
                  { ...vsys, vsys: "vsys1" },
                  { ...vsys, vsys: "vsys2" },
                ],
              },
              { scope: "device-group/branch", firewalls: [{ serial: SERIALS.b }], rows: [] },
            ],
          },
        },
      ],
    });
    expect((await run("plan", "--format", "markdown")).text).toContain("**no longer reachable** (3 firewalls: fw-a, fw-c ");
    expect((await run("plan", "--format", "sarif")).text).toContain("device-group/plants  3 firewalls: fw-a");
  });

  it("reports unknowns of a disconnected firewall, or of all if none is read", async () => {
    setConnected(device("b").state, false);
    want("verify");
    const away = await run("plan");
    setConnected(device("b").state, true);
    expect(away.text).toMatch(/3 firewalls: fw-a, fw-c vsys1, fw-c vsys2 +0 openings · 1 closing · exact/);
    expect(away.text).toMatch(
      /fw-b +\d+ openings? · \d+ closings? · not exact[\s\S]*own rules are between these and could not be read: it is not connected\./,
    );
    want("tell");
    const { text } = await run("plan");
    expect(text).toMatch(/4 firewalls: fw-a, fw-b, fw-c vsys1, fw-c vsys2 +\d+ openings? · \d+ closings? · not exact/);
    expect(text.match(/own rules are between/g)).toHaveLength(1);
  });

  it("continues without templates if only these are unreadable, and reports it", async () => {
    want("verify");
    lab.fault({ match: { type: "config", xpath: "/template" }, effect: { kind: "status", status: 403 }, count: 100 });
    const { text } = await run("plan");
    lab.clearFaults();
    expect(text).toMatch(/3 firewalls: fw-a, fw-c vsys1, fw-c vsys2 +\d+ openings? · \d+ closings? · not exact/);
    expect(text).toContain("Templates could not be read, and zones are not known: ");
  });

  it("evaluates assertions of a group for each firewall below it, and names the failing one", async () => {
    const flows = "verdict: deny, service: [tcp/23], from: [inside], to: [inside]";
    want("verify", `assert: [{ name: no-telnet, ${flows} }]\n`);
    const { text, code } = await run("plan");
    expect([code, text]).toEqual([2, expect.stringContaining("Assertions  1 broken")]);
    expect(text).toMatch(/! no-telnet +broken +device-group\/branch +1 of 2 firewalls: fw-b/);
    expect(text).toContain("by rule let in");
    const { targets } = JSON.parse((await run("plan", "--format", "json")).out);
    expect(targets[0].assertions).toMatchObject([{ scope: "device-group/branch", firewalls: [{ serial: SERIALS.b }], others: 1 }]);
    want("verify", `assert: [{ name: no-any, xpath: "//entry[@name='let in']" }]\n`);
    expect((await run("plan")).text).toContain("1 holds");
  });

  it("answers reach and lint per firewall, by name on request", async () => {
    want("verify");
    const all = await run("reach", "manager", ...telnet);
    expect(all.text).toMatch(/device-group\/branch +fw-a\n +allow +last of all/);
    expect(all.text).toMatch(/device-group\/branch +fw-b\n +allow +let in/);
    const one = await run("reach", "manager", "--scope", "fw-b", ...telnet);
    expect(one.text).toContain("let in");
    expect(one.text).not.toContain("fw-a");
    expect((await run("reach", "manager", "--scope", SERIALS.a, ...telnet)).text).not.toContain("let in");
    expect(await run("reach", "manager", "--scope", "fw-z", ...telnet)).toMatchObject({ code: 1, text: expect.stringContaining("fw-a") });
    expect((await run("lint", "manager")).text).toMatch(/fw-b[\s\S]*last of all is never reached: let in above/);
  });

  it("shows for drift what a change opened, and at which firewalls", async () => {
    want("verify");
    const rule = `<from><member>any</member></from><to><member>any</member></to><source><member>any</member></source><destination><member>any</member></destination><application><member>any</member></application><service><member>any</member></service><action>deny</action>`;
    set("manager", `${DEVICE}/device-group/entry[@name='all']/post-rulebase/security/rules/entry[@name='no telnet']`, rule);
    commit("manager");
    const { text } = await run("drift");
    expect(text).toMatch(/What became reachable +[^\n]*fw-a/);
  });
});
