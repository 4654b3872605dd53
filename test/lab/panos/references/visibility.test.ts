import { describe, expect, it } from "vitest";
import { parseXml } from "../../../../src/core/tree/xml/parse.js";
import { startLab } from "../../../../src/lab/lab.js";
import { Visibility } from "../../../../src/lab/panos/references/visibility.js";

const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
const hierarchy = (rows: Readonly<Record<string, string>>): string =>
  `<config><readonly><devices><entry name="localhost.localdomain"><device-group>${Object.entries(rows)
    .map(([name, parent]) => `<entry name="${name}"><parent-dg>${parent}</parent-dg></entry>`)
    .join("")}</device-group></entry></devices></readonly></config>`;
const visibility = (rows: Readonly<Record<string, string>> = {}) => new Visibility(parseXml(Buffer.from(hierarchy(rows))));
const device = "entry:localhost.localdomain";

describe("visibility between scopes", () => {
  const groups = visibility({ branch: "offices", offices: "all" });
  const branch = [device, "device-group:branch"];

  it.each([
    ["shared", true],
    [`${device}/device-group:branch`, true],
    [`${device}/device-group:offices`, true],
    [`${device}/device-group:all`, true],
    [`${device}/device-group:plants`, false],
    [`${device}/template:offices`, false],
  ])("a device group sees %s: %s", (scope, sees) => expect(groups.sees(branch, scope)).toBe(sees));

  it("does not include child groups, and cycles end", () => {
    expect(groups.sees([device, "device-group:all"], `${device}/device-group:branch`)).toBe(false);
    expect(visibility({ a: "b", b: "a" }).sees([device, "device-group:a"], `${device}/device-group:c`)).toBe(false);
  });

  it("lets a device's network see its virtual systems, and nothing in them", () => {
    expect(visibility().sees([device], `${device}/vsys:vsys1`)).toBe(true);
    expect(visibility().sees([device], `${device}/vsys:vsys1/entry:x`)).toBe(false);
    expect(visibility().sees(["shared"], `${device}/vsys:vsys1`)).toBe(false);
  });
});

describe("a lab manager", () => {
  async function manager() {
    const lab = await startLab({ devices: [{ configFile: "test/fixtures/manager/panorama.xml", jobDuration: 0 }] });
    const act = (action: string, xpath: string, element = "") =>
      lab.device.act("admin", { type: "config", action, xpath: `${DEVICE}/${xpath}`, ...(element === "" ? {} : { element }) });
    return { lab, act, close: () => lab.close() };
  }
  const group = (name: string): string => `device-group/entry[@name='${name}']`;

  it("accepts names of parent groups and of shared, and refuses those of other groups, and unknown ones", async () => {
    const { act, close } = await manager();
    const named = (name: string) =>
      act("set", `${group("branch")}/address-group`, `<entry name="g"><static><member>${name}</member></static></entry>`);
    expect(["proxy", "proxies", "dns"].map((name) => named(name).status)).toEqual(["success", "success", "success"]);
    expect(named("press")).toMatchObject({
      status: "error",
      code: "12",
      message: expect.stringContaining("'press' is not a valid reference"),
    });
    expect(named("nothing").status).toBe("error");
    await close();
  });

  it("keeps an object that a child group references", async () => {
    const { act, close } = await manager();
    const old = `${group("all")}/address/entry[@name='old proxy']`;
    expect(act("delete", old)).toMatchObject({ status: "error", code: "10", message: expect.stringContaining("proxies") });
    const members = `${group("offices")}/address-group/entry[@name='proxies']/static`;
    act("edit", members, "<static><member>proxy</member></static>");
    expect(act("delete", old).status).toBe("success");
    await close();
  });

  it("accepts a zone of any template in its rules", async () => {
    const { act, close } = await manager();
    const rule =
      '<entry name="r"><from><member>elsewhere</member></from><to><member>any</member></to><source><member>any</member></source></entry>';
    expect(act("set", `${group("plants")}/pre-rulebase/security/rules`, rule).status).toBe("success");
    await close();
  });

  it("returns its identity, and the hierarchy of its groups", async () => {
    const { lab, close } = await manager();
    const op = (cmd: string) => lab.device.act("admin", { type: "op", cmd }).xml;
    expect(op("<show><system><info/></system></show>")).toContain("<model>Panorama</model>");
    expect(op("<show><dg-hierarchy/></show>")).toMatch(
      /<dg name="all"[^>]*><dg name="offices"[^>]*><dg name="branch"[^>]*><\/dg><\/dg><dg name="plants"/,
    );
    await close();
  });

  it("returns the members of a pair in a manager's form", async () => {
    const config = { configFile: "test/fixtures/manager/panorama.xml" };
    const lab = await startLab({
      devices: [
        { name: "a", peer: "b", ...config },
        { name: "b", ...config },
      ],
    });
    const states = lab.devices.map(
      (each) =>
        /<state>([^<]*)/.exec(
          each.act("admin", { type: "op", cmd: "<show><high-availability><state/></high-availability></show>" }).xml,
        )?.[1],
    );
    expect(states).toEqual(["primary-active", "secondary-passive"]);
    await lab.close();
  });
});
