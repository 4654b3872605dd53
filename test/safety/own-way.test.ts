import { describe, expect, it } from "vitest";
import { exitCode } from "../../src/outcome/outcome.js";
import { panosGuards } from "../../src/targets/panos/guards.js";
import { World } from "../engine/apply/world.js";

/** A firewall that we come to by 192.0.2.1, which one of its interfaces holds, or another box does. */
function world(held = "192.0.2.1/24"): World {
  const member = (tag: string, name: string) => `<${tag}><member>${name}</member></${tag}>`;
  const rule = `<entry name="operators">${["from", "to", "source", "destination", "application", "service"].map((tag) => member(tag, "any")).join("")}<action>allow</action></entry>`;
  const made = new World(
    [
      `<config><devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>fw</hostname></system></deviceconfig><network>`,
      `<interface><ethernet><entry name="ethernet1/1"><layer3><ip><entry name="${held}"/></ip></layer3></entry></ethernet></interface></network>`,
      `<vsys><entry name="vsys1"><zone><entry name="admin"><network>${member("layer3", "ethernet1/1")}</network></entry></zone>`,
      `<rulebase><security><rules>${rule}</rules></security></rulebase></entry></vsys></entry></devices></config>`,
    ].join(""),
  );
  made.guards = panosGuards;
  return made;
}

const STOP = `target: edge
scope: vsys1
config:
  rulebase:
    security:
      rules:
        $position: top
        $entries:
          - { name: stop, from: [any], to: [admin], source: [any], destination: [any], application: [any], service: [any], action: drop }
`;
const ZONE = "target: edge\nscope: vsys1\nconfig:\n  zone:\n    admin: { network: { layer3: [ethernet1/2] } }\n";

const dangers = async (w: World): Promise<string[]> =>
  ((await w.plan()).plan?.refusals ?? []).filter(({ guard }) => guard === "management").map(({ message }) => message);

describe("the path to a firewall", () => {
  it.each([
    ["a rule that stops us", STOP, 'rule "stop", which is on the path to 192.0.2.1'],
    ["a zone that our interface leaves", ZONE, "the zone or virtual system of ethernet1/1, the interface that Plumbline connects to"],
  ])("is not cut by %s", async (_, text, words) => {
    const w = world().want(text);
    expect(await dangers(w)).toEqual([`This can lock Plumbline out: ${words}`]);
    expect(exitCode([await w.reconcile()])).toBe(3);
    expect(w.device.events.filter(({ kind }) => kind === "write")).toEqual([]);
    const allowed = await w.reconcile({ pass: { allow: new Map([["management", ""]]) } });
    expect(allowed.error).toBeUndefined();
  });

  it("does not matter if the address is that of the management interface", async () => {
    const w = world("198.51.100.1/24").want(STOP);
    expect(await dangers(w)).toEqual([]);
    expect((await w.reconcile()).error).toBeUndefined();
  });
});
