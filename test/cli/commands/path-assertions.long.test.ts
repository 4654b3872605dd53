import { Ajv } from "ajv";
import { beforeEach, describe, expect, it } from "vitest";
import { reportSchema } from "../../../src/report/schema.js";
import { DataCentre } from "../data-centre.js";

const cloudWith = (asserted: string, more = ""): string => `target: cloud
scope: project
assert:
${asserted}config:
  networks:
    web: { subnets: { web-a: { cidr: 10.110.0.0/24, gateway_ip: 10.110.0.1 } } }
    db: { subnets: { db-a: { cidr: 10.120.0.0/24, gateway_ip: 10.120.0.1 } } }
  security_groups:
    web: {}
    db: { rules: [{ direction: ingress, protocol: tcp, port_range_min: 5432, port_range_max: 5432, remote_group: web }${more}] }
  servers:
    web-1: { image: cirros, flavor: m1.tiny, networks: [{ network: web, fixed_ip: 10.110.0.11 }], security_groups: [web] }
    db-1: { image: cirros, flavor: m1.tiny, networks: [{ network: db, fixed_ip: 10.120.0.21 }], security_groups: [db] }
`;
const postgres = (source: string, destination: string) =>
  `  - { name: web-has-db, verdict: allow, path: { source: "${source}", destination: "${destination}", service: tcp/5432, application: postgres } }\n`;
const NO_SSH = `  - { name: no-ssh, verdict: deny, path: { source: "cloud:web-1", destination: "cloud:db-1", service: tcp/22, application: ssh } }\n`;
const SSH = ", { direction: ingress, protocol: tcp, port_range_min: 22, port_range_max: 22, remote_group: web }";

const edgeWith = (asserted: string, action: string, application: string): string => `target: edge
scope: vsys1
assert:
${asserted}config:
  rulebase:
    security:
      rules:
        $position: top
        $entries:
          - { name: more, from: [web], to: [db], source: [any], destination: [any], application: [${application}], service: [any], action: ${action} }
`;

let centre: DataCentre;
beforeEach(async () => {
  centre = await DataCentre.start();
  centre.file("documents/cloud.yaml", cloudWith(postgres("web-1", "db-1"))).push();
  expect(await centre.run("reconcile --target cloud")).toMatchObject({ code: 0 });
});

const RULES = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/rulebase/security/rules";
/** An administrator blocks all traffic between web and db on the firewall. */
const closeByHand = (): void => {
  const act = (params: Readonly<Record<string, string>>) => centre.firewall.device.act("admin", params);
  const element =
    "<from><member>web</member></from><to><member>db</member></to><source><member>any</member></source><destination><member>any</member></destination><application><member>any</member></application><service><member>any</member></service><action>deny</action>";
  act({ type: "config", action: "set", xpath: `${RULES}/entry[@name='hand']`, element });
  act({ type: "config", action: "move", where: "top", xpath: `${RULES}/entry[@name='hand']` });
  act({ type: "commit", cmd: "<commit/>" });
};

describe("an assertion about a path through a cloud and a firewall", () => {
  it("holds, and refuses a plan of either target that breaks it, with exit code 3", async () => {
    expect((await centre.run("plan --target cloud")).out).toContain("  Assertions  1 holds\n");
    centre.file("documents/edge.yaml", edgeWith(postgres("cloud:web-1", "cloud:db-1").replace("web-has-db", "of-edge"), "deny", "any"));
    const firewall = await centre.push().run("plan --target edge");
    expect(firewall.code).toBe(3);
    expect(firewall.out).toContain("    ! of-edge  broken by this plan  vsys1  documents/edge.yaml:4:");
    expect(firewall.out).toContain("      cloud:web-1 > cloud:db-1  tcp/5432 · postgres is stopped by edge: more.\n");
    expect(firewall.out).toMatch(/by rule more \(documents\/edge\.yaml:\d+\)/);
    const closed = cloudWith(postgres("web-1", "db-1")).replace(/remote_group: web/, "remote_ip_prefix: 10.9.0.0/16");
    const cloud = await centre.file("documents/cloud.yaml", closed).push().run("reconcile --target cloud");
    expect([cloud.code, cloud.out]).toEqual([3, expect.stringContaining("web-1 > db-1  tcp/5432 · postgres is stopped by cloud: ")]);
  });

  it("is reported with its own line in every output", async () => {
    closeByHand();
    const { code, out } = await centre.run("drift --target cloud --format json");
    expect(code).toBe(0);
    const json = JSON.parse(out) as { targets: { assertions: unknown[] }[] };
    expect(new Ajv().validate(reportSchema, json)).toBe(true);
    expect(json.targets[0]?.assertions).toMatchObject([{ name: "web-has-db", state: "broken", before: "broken", isByChange: false }]);
    const sarif = (await centre.run("drift --target cloud --format sarif")).out;
    expect(sarif).toContain('"ruleId": "assertion/broken"');
    expect((await centre.run("drift --target cloud --format junit")).out).toContain("is stopped by edge: hand");
    expect((await centre.run("drift --target cloud --format markdown")).out).toContain("web-has-db");
  });

  it("covers two plans: a plan shows the effect of each, and the run that writes the second one refuses it", async () => {
    centre.file("documents/cloud.yaml", cloudWith(postgres("web-1", "db-1") + NO_SSH, SSH));
    centre.file("documents/edge.yaml", edgeWith(NO_SSH.replace("no-ssh", "edge-no-ssh"), "allow", "ssh")).push();
    const planned = await centre.run("plan --allow first-contact=2");
    expect(planned.out).not.toContain("broken");
    expect((await centre.run("reconcile --target cloud")).code).toBe(0);
    const second = await centre.run("reconcile --target edge");
    expect([second.code, second.out]).toEqual([
      3,
      expect.stringContaining('refused assertion  "edge-no-ssh" (vsys1) is broken by this plan, rule more'),
    ]);
  });

  it("is unknown without the credentials of the other target, which stops no plan without rule changes", async () => {
    centre.environment.PASSWORD = "wrong";
    const same = await centre.run("plan --target cloud");
    expect([same.code, same.out]).toEqual([0, expect.stringContaining("! web-has-db  not known to hold")]);
    expect(same.out).toContain("edge could not be read: ");
    const opened = await centre
      .file("documents/cloud.yaml", cloudWith(postgres("web-1", "db-1"), SSH))
      .push()
      .run("plan --target cloud");
    expect([opened.code, opened.out]).toEqual([3, expect.stringContaining("The change may affect it.")]);
    expect((await centre.run("plan --target cloud --allow assertion=web-has-db")).code).toBe(2);
  });

  it("is evaluated even without any credentials of the other target", async () => {
    Object.assign(centre.environment, { PASSWORD: undefined });
    const { code, out } = await centre.run("plan --target cloud");
    expect([code, out]).toEqual([0, expect.stringContaining("edge could not be read: ")]);
  });

  it("reports wrong targets, ends and lines in validate", async () => {
    centre.file("documents/cloud.yaml", cloudWith(postgres("web-1", "clod:db-1")));
    const { code, err } = await centre.run("validate");
    expect([code, err]).toEqual([1, expect.stringMatching(/There is no target "clod"[\s\S]*documents\/cloud\.yaml:4:79/)]);
    centre.file("documents/cloud.yaml", cloudWith(postgres("web-1", "db-9")));
    const warned = await centre.run("validate");
    expect([warned.code, warned.err]).toEqual([0, expect.stringContaining('"db-9"')]);
  });
});
