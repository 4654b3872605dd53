import { describe, expect, it } from "vitest";
import type { StepName, StepObserver } from "../../../src/engine/apply/steps.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { flowText } from "../../../src/report/insight.js";
import { CloudWorld } from "./cloud-world.js";

const PROJECT = `networks:
  n: { subnets: { s: { cidr: 10.9.1.0/24 } } }
security_groups:
  web: { rules: [{ direction: ingress, protocol: tcp, port_range_min: 443, port_range_max: 443, remote_ip_prefix: 0.0.0.0/0 }] }
  db: { rules: [{ direction: ingress, protocol: tcp, port_range_min: 5432, port_range_max: 5432, remote_group: web }] }
ports:
  vip: { network: n, security_groups: [web] }
servers:
  web-01: { image: cirros, flavor: m1.tiny, networks: [{ network: n }], security_groups: [web], saveTo: web.password }
  db-01: { image: cirros, flavor: m1.tiny, networks: [{ network: n }], security_groups: [db], saveTo: db.password }`;

const ASSERTED = `assert:
  - name: nobody-reaches-db
    verdict: deny
    from: [anywhere]
    to: [db]
`;

/** `+ anywhere > web  …` for each set of flows that is opened, `-` for each that is closed. */
function rows({ insight }: TargetOutcome): string[] {
  expect(insight?.failure).toBeUndefined();
  const all = insight?.scopes.flatMap((scope) => scope.rows) ?? [];
  return all.flatMap(({ change, flows, conditions }) =>
    flows.map(
      (flow) => `${change === "opened" ? "+" : "-"} ${flowText(flow)}${conditions.length === 0 ? "" : ` if ${conditions.join(", ")}`}`,
    ),
  );
}

const made = async (): Promise<CloudWorld> => {
  const world = (await CloudWorld.start()).want(PROJECT);
  await world.reconciled();
  return world;
};
const planned = async (world: CloudWorld, config: string) => rows(await world.want(config).plan({ insight: true }));

describe("what becomes reachable in a project", () => {
  it("is shown for a plan, and not once it is applied", async () => {
    const world = await CloudWorld.start();
    expect(await planned(world, PROJECT)).toEqual([
      "+ any > port vip, server web-01  0.0.0.0/0 > any  tcp/443",
      "+ port vip, server web-01 > server db-01  0.0.0.0/0 > any  tcp/5432",
      "+ any but anywhere > anywhere  any > 0.0.0.0/0  any service",
      "+ any but anywhere > anywhere  any > IPv6  any service",
    ]);
    await world.reconciled();
    expect(await planned(world, PROJECT.replace("cidr:", "dns_nameservers: [192.0.2.53], cidr:"))).toEqual([]);
  });

  it("is shown for a rule, by the groups of the affected ports", async () => {
    const world = await made();
    expect(await planned(world, PROJECT.replace("remote_group: web", "remote_ip_prefix: 10.0.0.0/8"))).toEqual([
      "+ any but web > db  10.0.0.0/8 > any  tcp/5432",
      "- web > db  0.0.0.0-9.255.255.255, 11.0.0.0-255.255.255.255 > any  tcp/5432",
    ]);
    expect(
      await planned(
        world,
        PROJECT.replace(
          "{ rules: [{ direction: ingress, protocol: tcp, port_range_min: 443",
          "{ description: x, rules: [{ direction: ingress, protocol: tcp, port_range_min: 443",
        ),
      ),
    ).toEqual([]);
  });

  it("is shown for a port that moves to another group, and for one without port security", async () => {
    const world = await made();
    expect(await planned(world, PROJECT.replace("security_groups: [web] }\nservers", "security_groups: [db] }\nservers"))).toEqual([
      "+ web > port vip  0.0.0.0/0 > any  tcp/5432",
      "- any > port vip  0.0.0.0/0 > any  tcp/443",
      "- port vip > db  0.0.0.0/0 > any  tcp/5432",
    ]);
    const open = PROJECT.replace("ports:", "ports:\n  free: { network: m }").replace(
      "networks:",
      "networks:\n  m: { port_security_enabled: false }",
    );
    expect(await planned(world, open)).toEqual([
      "+ port free > web  0.0.0.0/0 > any  tcp/443",
      "+ any > port free  0.0.0.0/0 > any  any service",
      "+ any > port free  IPv6 > any  any service",
      "+ port free > anywhere  any > 0.0.0.0/0  any service",
      "+ port free > anywhere  any > IPv6  any service",
    ]);
  });

  it("is shown for a manual change", async () => {
    const world = await made();
    const group = world.lab.world.network.all("security_group").find(({ name }) => name === "db");
    const rule = { security_group_id: group?.id, direction: "ingress", protocol: "tcp", port_range_min: 22, port_range_max: 22 };
    world.act("POST", "/v2.0/security-group-rules", { security_group_rule: rule });
    expect(rows(await world.drift({ insight: true }))).toEqual(["+ any > db  0.0.0.0/0 > any  tcp/22"]);
  });

  it("needs no further requests", async () => {
    const world = await made();
    world.want(PROJECT.replace("remote_group: web", "remote_ip_prefix: 10.0.0.0/8"));
    const asked = async (insight: boolean) => {
      const before = world.lab.journal.length;
      await world.plan({ insight });
      return world.lab.journal.length - before;
    };
    expect(await asked(true)).toBe(await asked(false));
  });
});

describe("a question about a project", () => {
  it("is answered by the allowing rule, with file and line", async () => {
    const world = await made();
    const flow = { from: ["web-01"], to: ["db"], source: [], destination: [], service: ["tcp/5432"], application: [] };
    const [{ answers: [{ answers = [] } = {}] = [] } = {}] = await world.reach(flow);
    expect(answers.map(({ verdict, rule, where }) => [verdict, rule, where?.file, where?.line])).toEqual([
      ["allow", "db: tcp/5432 from web", "cloud/project.yaml", 8],
      ["deny", "no rule", undefined, undefined],
    ]);
    expect(answers.flatMap(({ flows }) => flows.map(flowText))).toEqual([
      "web > db  0.0.0.0/0 > any  tcp/5432",
      "web > db  IPv6 > any  tcp/5432",
    ]);
  });

  it("knows the default rules of a live group, and which it has lost", async () => {
    const world = await made();
    const group = world.lab.world.network.all("security_group").find(({ name }) => name === "db");
    const born = world.lab.world.network
      .all("security_group_rule")
      .filter((rule) => rule.security_group_id === group?.id && rule.direction === "egress");
    for (const { id } of born) world.act("DELETE", `/v2.0/security-group-rules/${id}`);
    const flow = { from: ["db"], to: ["anywhere"], source: [], destination: [], service: [], application: [] };
    const [found] = await world.reach(flow);
    expect([born.length, found?.answers.flatMap(({ answers }) => answers.map(({ verdict }) => verdict))]).toEqual([2, ["deny"]]);
  });

  it("about unknown objects is refused", async () => {
    const world = await made();
    const flow = { from: ["wbe"], to: [], source: [], destination: [], service: [], application: [] };
    const [{ outcome } = {}] = await world.reach(flow);
    expect(outcome?.error).toMatchObject({ code: "flow-not-understood", message: expect.stringContaining("wbe") });
    const [asked] = await world.reach({ ...flow, from: [], application: ["ssl"] });
    expect(asked?.outcome.error).toMatchObject({ code: "flow-not-understood" });
  });
});

describe("an assertion of a project", () => {
  it("refuses a plan that breaks it, before a write", async () => {
    const world = await made();
    const text = (config: string) => `target: cloud\nscope: project\n${ASSERTED}config:\n${config.replace(/^/gm, "  ")}\n`;
    world.wantText(text(PROJECT));
    const held = await world.plan();
    expect(held.assertions).toMatchObject([{ name: "nobody-reaches-db", state: "holds" }]);
    world.wantText(text(PROJECT.replace("remote_group: web", "remote_ip_prefix: 10.0.0.0/8")));
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(refused.error?.message).toContain("nobody-reaches-db");
    const allowed = await world.reconcile({ allow: new Map([["assertion", "nobody-reaches-db"]]) });
    expect(exitCode([allowed])).toBe(0);
  });

  it("is evaluated with the current state: a change just before causes a new plan", async () => {
    const world = await made();
    const text = (description: string) =>
      `target: cloud\nscope: project\n${ASSERTED}config:\n${PROJECT.replace("web: { rules", `web: { description: ${description}, rules`).replace(/^/gm, "  ")}\n`;
    await world.wantText(text("one")).reconciled();
    world.wantText(text("two"));
    const group = world.lab.world.network.all("security_group").find(({ name }) => name === "web");
    const said: string[] = [];
    const seen: StepName[] = [];
    const observer: StepObserver = {
      before: () => undefined,
      after(step) {
        seen.push(step);
        if (step !== "re-read" || seen.filter((each) => each === step).length > 1) return;
        world.act("PUT", `/v2.0/security-groups/${group?.id}`, { security_group: { description: "by hand" } });
      },
    };
    await world.reconcile({ progress: (_, words) => said.push(words) }, { observer });
    expect(said).toContain("the target was changed in the meantime, planning again");
    expect(seen.filter((step) => step === "re-read")).toHaveLength(4);
  });
});
