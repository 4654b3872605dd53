import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { find } from "../../src/core/tree/lookup.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { type CliWorld, openWorld } from "../cli/world.js";

const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
const RULES = `${VSYS}/rulebase/security/rules`;

let world: CliWorld;

beforeEach(async () => {
  world = await openWorld();
  expect(await world.run("adopt edge")).toMatchObject({ code: 0 });
  expect(await world.run("reconcile")).toMatchObject({ code: 0 });
});

afterEach(async () => {
  expect(world.lab.device.state.violations.filter(({ admin }) => admin === "plumbline")).toEqual([]);
  await world.close();
});

function change(file: string, from: string, to: string): void {
  const path = join(world.folder, "desired-state/edge", file);
  const text = readFileSync(path, "utf8");
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
  world.commit("a change");
}

function as(admin: string, action: string, xpath: string, element = ""): void {
  const more = element === "" ? {} : { element };
  expect(world.lab.device.act(admin, { type: "config", action, xpath, ...more })).toMatchObject({ status: "success" });
}

const textAt = (view: "candidate" | "running", xpath: string): string | undefined => {
  const { candidate, running } = world.lab.device.state;
  return find(view === "running" ? running : candidate.tree.root, parsePath(xpath))?.children[0]?.text;
};
const pendingOwners = () => [...new Set(world.lab.device.state.candidate.pending.map(({ stamp }) => stamp.admin))];
const commits = () => world.lab.device.state.commits.length;
const address = (name: string): string => `${VSYS}/address/entry[@name='${name}']`;
const ours = () => change("objects.yaml", "web-02: { ip-netmask: 10.110.0.12", "web-02: { ip-netmask: 10.110.0.99");

/** Refused before anything was written; theirs is as it was. */
async function expectRefused(words: RegExp, owners: readonly string[]): Promise<void> {
  const before = commits();
  const { code, out, err } = await world.run("reconcile");
  expect(out + err).toMatch(words);
  expect(code).toBe(3);
  expect(commits()).toBe(before);
  expect(pendingOwners()).toEqual(owners);
}

async function expectDone(owners: readonly string[]): Promise<void> {
  const before = commits();
  expect(await world.run("reconcile")).toMatchObject({ code: 0 });
  expect(commits()).toBe(before + 1);
  expect(world.lab.device.state.commits.at(-1)?.edits.every(({ admin }) => admin === "plumbline")).toBe(true);
  expect(pendingOwners()).toEqual(owners);
  expect(textAt("running", address("web-02"))).toBe("10.110.0.99");
}

describe("uncommitted work of others that does not interfere", () => {
  it("in the same list is neither committed nor an obstacle", async () => {
    as("mkovacs", "set", `${VSYS}/address`, '<entry name="half-done"><ip-netmask>10.9.9.9</ip-netmask></entry>');
    as("admin", "set", `${VSYS}/tag`, '<entry name="half-done"/>');
    ours();
    await expectDone(["mkovacs", "admin"]);
    expect(textAt("running", address("half-done"))).toBeUndefined();
    expect(textAt("candidate", address("half-done"))).toBe("10.9.9.9");
    expect(await world.run("plan")).toMatchObject({ code: 0 });
  });

  it("in a rulebase that the run does not write stays there, also next to one that it writes", async () => {
    const nat =
      '<entry name="half-done"><from><member>any</member></from><to><member>any</member></to><source><member>any</member></source></entry>';
    as("mkovacs", "set", `${VSYS}/rulebase/nat/rules`, nat);
    ours();
    change("rules/security.yaml", "application: [postgres]", "application: [postgres, ssl]");
    await expectDone(["mkovacs"]);
  });

  it("in unmanaged parts of an owned entry stays there", async () => {
    as("mkovacs", "set", "/config/devices/entry[@name='localhost.localdomain']/deviceconfig/system", "<timezone>UTC</timezone>");
    ours();
    await expectDone(["mkovacs"]);
  });
});

describe("uncommitted work of others at the paths of the run", () => {
  it("is never overwritten, and the refusal names them and the node", async () => {
    as("mkovacs", "set", address("web-02"), "<ip-netmask>10.110.0.50</ip-netmask>");
    ours();
    await expectRefused(/foreign-changes.*"mkovacs" has an uncommitted change \(set\) at a path that this plan overwrites: .*web-02/s, [
      "mkovacs",
    ]);
    expect(textAt("candidate", address("web-02"))).toBe("10.110.0.50");
  });

  it("that deletes a planned object is not reverted", async () => {
    change(
      "objects.yaml",
      "    updates: { fqdn: updates.example.net }\n",
      "    updates: { fqdn: updates.example.net }\n    spare: { ip-netmask: 10.1.1.1 }\n",
    );
    expect(await world.run("reconcile")).toMatchObject({ code: 0 });
    as("mkovacs", "delete", address("spare"));
    await expectRefused(/"mkovacs" has an uncommitted change \(delete\) at a path that this plan overwrites: .*spare/, ["mkovacs"]);
    expect(textAt("candidate", address("spare"))).toBeUndefined();
  });

  it("on another owned entry interferes too, unless it may be omitted and matches", async () => {
    change("objects.yaml", "dns-01: { ip-netmask: 10.20.0.10 }", "dns-01: { ip-netmask: 10.20.0.77 }");
    as("mkovacs", "set", address("dns-01"), "<ip-netmask>10.20.0.77</ip-netmask>");
    ours();
    await expectRefused(/"mkovacs" has an uncommitted change \(set\) at a path that this repository manages: .*dns-01/, ["mkovacs"]);
    const file = join(world.folder, "desired-state/plumbline.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("    mode: enforce", "    mode: enforce\n    foreignChanges: leaveOut"));
    world.commit("left out");
    const before = commits();
    const { code, out, err } = await world.run("reconcile");
    expect(commits()).toBe(before + 1);
    expect(textAt("running", address("web-02"))).toBe("10.110.0.99");
    expect(textAt("running", address("dns-01"))).toBe("10.20.0.10");
    expect(pendingOwners()).toEqual(["mkovacs"]);
    expect(code, out + err).not.toBe(0);
    expect(out + err).toContain("mkovacs");
  });

  it("in an exclusive list is not deleted as a leftover", async () => {
    as("mkovacs", "set", RULES, '<entry name="half-done"><from><member>any</member></from><action>deny</action></entry>');
    await expectRefused(/"mkovacs" has an uncommitted change \(set\)/, ["mkovacs"]);
  });

  it("in a rulebase that the run writes blocks it, since both could only be committed together", async () => {
    as("mkovacs", "set", RULES, '<entry name="half-done"><from><member>any</member></from><action>deny</action></entry>');
    change("rules/security.yaml", "application: [postgres]", "application: [postgres, ssl]");
    await expectRefused(/"mkovacs" has an uncommitted change \(set\) in a rulebase that this plan writes/, ["mkovacs"]);
  });

  it("that the run would depend on is reported before the device refuses the commit", async () => {
    as("mkovacs", "set", `${VSYS}/address`, '<entry name="half-done"><ip-netmask>10.9.9.9</ip-netmask></entry>');
    change("objects.yaml", "resolvers: { static: [dns-01, dns-02] }", "resolvers: { static: [dns-01, dns-02, half-done] }");
    await expectRefused(/references "half-done", which "mkovacs" has created and not committed/, ["mkovacs"]);
  });

  it("that matches the desired state is waited for", async () => {
    change("objects.yaml", "dns-01: { ip-netmask: 10.20.0.10 }", "dns-01: { ip-netmask: 10.20.0.77 }");
    as("mkovacs", "set", address("dns-01"), "<ip-netmask>10.20.0.77</ip-netmask>");
    await expectRefused(/not committed: mkovacs has it pending/, ["mkovacs"]);
  });
});

describe("work that starts during the write", () => {
  it("is left to its author elsewhere", async () => {
    ours();
    const { state } = world.lab.device;
    const write = state.candidate.perform.bind(state.candidate);
    let begun = false;
    state.candidate.perform = (...values) => {
      const done = write(...values);
      if (!begun) {
        begun = true;
        as("mkovacs", "set", `${VSYS}/tag`, '<entry name="half-done"/>');
      }
      return done;
    };
    world.lab.device.state.locks.refuseWrite = () => undefined;
    await expectDone(["mkovacs"]);
  });
});
