import { describe, expect, it } from "vitest";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { flowText } from "../../../src/report/insight.js";
import { ControllerWorld } from "./world.js";

const RULE = (from: string, to: string, port: number, action = "pass") =>
  `{ direction: <>, protocol: tcp, src_addresses: [{ virtual_network: "${from}" }], src_ports: [{ start_port: -1, end_port: -1 }], dst_addresses: [{ virtual_network: "${to}" }], dst_ports: [{ start_port: ${port}, end_port: ${port} }], action_list: { simple_action: ${action} } }`;
const [WEB, DB] = ["default-domain:demo:web", "default-domain:demo:db"];

const FABRIC = `
network-policys:
  default-domain:demo:web-to-db:
    network_policy_entries:
      policy_rule:
        - ${RULE(WEB, DB, 5432)}
virtual-networks:
  ${WEB}: { network_policy_refs: { "default-domain:demo:web-to-db": {} } }
  ${DB}: { network_policy_refs: { "default-domain:demo:web-to-db": {} } }
  default-domain:demo:lone: {}`;

const MORE = FABRIC.replace("virtual-networks:", `        - ${RULE(WEB, DB, 22)}\nvirtual-networks:`);

const ASSERTED = `assert:
  - name: db-only-postgres
    verdict: deny
    from: [web]
    to: [db]
    except: [{ service: [tcp/5432] }]
`;

/** `+ web > db  …` for each set of flows that is opened, `-` for each that is closed. */
function rows({ insight }: TargetOutcome): string[] {
  expect(insight?.failure).toBeUndefined();
  const all = insight?.scopes.flatMap((scope) => scope.rows) ?? [];
  return all.flatMap(({ change, flows, conditions }) =>
    flows.map(
      (flow) => `${change === "opened" ? "+" : "-"} ${flowText(flow)}${conditions.length === 0 ? "" : ` if ${conditions.join(", ")}`}`,
    ),
  );
}

const made = async (): Promise<ControllerWorld> => {
  const world = await ControllerWorld.start();
  await world.reconciled(FABRIC);
  return world;
};

const planned = async (world: ControllerWorld, config: string, header = ""): Promise<TargetOutcome> => {
  world.want(config, header);
  return await world.plan({ pass: { insight: true } });
};

const any = { from: [], to: [], source: [], destination: [], service: [], application: [] };

describe("what becomes reachable between networks", () => {
  it("is shown for a plan, and not once it is applied", async () => {
    const world = await ControllerWorld.start();
    expect(rows(await planned(world, FABRIC))).toEqual([
      "+ db > db  any > any  any service",
      "+ web > web  any > any  any service",
      "+ lone > lone  any > any  any service",
      "+ db > web  any > any  tcp from port 5432",
      "+ web > db  any > any  tcp/5432",
    ]);
    await world.reconciled(FABRIC);
    expect(rows(await planned(world, FABRIC.replace("lone: {}", "lone: { display_name: x }")))).toEqual([]);
  });

  it("is shown for a rule, in both directions, and for one without effect because the other side lacks it", async () => {
    const world = await made();
    expect(rows(await planned(world, MORE))).toEqual(["+ db > web  any > any  tcp from port 22", "+ web > db  any > any  tcp/22"]);
    const alone = FABRIC.replace(`${DB}: { network_policy_refs: { "default-domain:demo:web-to-db": {} } }`, `${DB}: {}`);
    expect(rows(await planned(world, alone))).toEqual(["- db > web  any > any  tcp from port 5432", "- web > db  any > any  tcp/5432"]);
  });

  it("is possible for networks that exchange routes", async () => {
    const world = await made();
    const target = `{ route_target_list: { route_target: ["target:64512:7"] } }`;
    const joined = FABRIC.replace("lone: {}", `lone: ${target}`).replace(
      `${WEB}: {`,
      `${WEB}: { route_target_list: { route_target: ["target:64512:7"] },`,
    );
    expect(rows(await planned(world, joined))).toContain(
      "+ web > lone  any > any  any service if target:64512:7 is a way from default-domain:demo:web to default-domain:demo:lone",
    );
  });

  it("is shown for a manual change", async () => {
    const world = await made();
    const policy = world.object("network-policy", "default-domain:demo:web-to-db");
    const rule = {
      direction: "<>",
      protocol: "any",
      src_addresses: [{ virtual_network: "any" }],
      dst_addresses: [{ virtual_network: "any" }],
    };
    const ports = [{ start_port: -1, end_port: -1 }];
    world.lab.world.update("network-policy", policy?.uuid ?? "", {
      network_policy_entries: { policy_rule: [{ ...rule, src_ports: ports, dst_ports: ports, action_list: { simple_action: "pass" } }] },
    });
    const drift = await world.drift({ pass: { insight: true } });
    expect(rows(drift)).toContain("+ web > db  any > any  any but tcp/5432");
  });

  it("needs no request that an unchanged policy does not need", async () => {
    const world = await made();
    const asked = async (insight: boolean) => {
      const before = world.lab.journal.length;
      world.want(FABRIC.replace("lone: {}", "lone: { display_name: x }"));
      await world.plan({ pass: { insight } });
      return world.lab.journal.length - before;
    };
    expect(await asked(true)).toBe(await asked(false));
  });
});

describe("a question about networks", () => {
  it("is answered by the allowing rule, with file and line", async () => {
    const world = await made();
    const [{ answers: [{ answers = [] } = {}] = [] } = {}] = await world.reach({ ...any, from: ["web"], to: [DB], service: ["tcp/5432"] });
    expect(answers.map(({ verdict, rule, where }) => [verdict, rule, where?.file, where?.line])).toEqual([
      ["allow", "web-to-db: tcp/5432 web <> db", "fabric/fabric.yaml", 9],
    ]);
  });

  it.each([
    [{ from: ["wbe"] }, "wbe"],
    [{ application: ["ssl"] }, "ssl"],
    [{ source: ["srv"] }, "srv"],
  ])("about nothing that is there is refused: %o", async (more, word) => {
    const world = await made();
    const [{ outcome } = {}] = await world.reach({ ...any, ...more });
    expect(outcome?.error).toMatchObject({ code: "flow-not-understood", message: expect.stringContaining(word) });
  });
});

describe("an assertion of a controller", () => {
  it("refuses a plan that breaks it, before a write", async () => {
    const world = await made();
    const held = await planned(world, FABRIC, ASSERTED);
    expect(held.assertions).toMatchObject([{ name: "db-only-postgres", state: "holds" }]);
    world.want(MORE, ASSERTED);
    const refused = await world.reconcile();
    expect(exitCode([refused])).toBe(3);
    expect(refused.error?.message).toContain("db-only-postgres");
    const allowed = await world.reconcile({ pass: { allow: new Map([["assertion", "db-only-postgres"]]) } });
    expect(exitCode([allowed])).toBe(0);
  });
});
