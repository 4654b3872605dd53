import { beforeEach, describe, expect, it } from "vitest";
import { DataCentre } from "../data-centre.js";

const DOCUMENT = `target: cloud
scope: project
config:
  networks:
    web: { subnets: { web-a: { cidr: 10.110.0.0/24, gateway_ip: 10.110.0.1 } } }
    db: { subnets: { db-a: { cidr: 10.120.0.0/24, gateway_ip: 10.120.0.1 } } }
  security_groups:
    web: {}
    db: { rules: [{ direction: ingress, protocol: tcp, port_range_min: 5432, port_range_max: 5432, remote_group: web }] }
  servers:
    web-1: { image: cirros, flavor: m1.tiny, networks: [{ network: web, fixed_ip: 10.110.0.11 }], security_groups: [web] }
    db-1: { image: cirros, flavor: m1.tiny, networks: [{ network: db, fixed_ip: 10.120.0.21 }], security_groups: [db] }
`;

const FLOW = "reach cloud --whole-path --source web-1 --destination db-1 --service tcp/5432 --application postgres";

let centre: DataCentre;
beforeEach(async () => {
  centre = await DataCentre.start();
  centre.file("documents/cloud.yaml", DOCUMENT).push();
  expect(await centre.run("reconcile --target cloud")).toMatchObject({ code: 0 });
});

describe("reach --whole-path", () => {
  it("shows each part of the path, the deciding rule, and the translation", async () => {
    const { code, out } = await centre.run(FLOW);
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      "cloud project  10.110.0.11 > 10.120.0.21  tcp/5432",
      "  in     server web-1  network web",
      "  out    network web  to 10.110.0.1",
      expect.stringMatching(/^ {2}allow {2}web: any to 0\.0\.0\.0\/0 {2}\/openstack\/security_groups\//),
      "edge vsys1  10.110.0.11 > 10.120.0.21  tcp/5432",
      "  in     web by ethernet1/2.110  10.110.0.0/24 of default",
      "  out    db by ethernet1/2.120  10.120.0.0/24 of default",
      expect.stringMatching(/^ {2}allow {2}web-to-db {2}\/config\//),
      expect.stringContaining("tcp/5432 · postgres"),
      "cloud project  10.110.0.11 > 10.120.0.21  tcp/5432",
      "  in     network db",
      "  out    server db-1  network db",
      "  allow  db: tcp/5432 from web  documents/cloud.yaml:9",
      "arrives  server db-1 of cloud has it",
      "",
    ]);
    const { paths, targets } = JSON.parse((await centre.run(`${FLOW} --format json`)).out) as { paths: object[]; targets: object[] };
    expect(paths).toMatchObject([
      { verdict: "arrives", conditions: [], hops: [{ target: "cloud" }, { target: "edge" }, { target: "cloud" }] },
    ]);
    expect(targets).toMatchObject([{ target: "cloud" }, { target: "edge" }]);
  });

  it("names everything that stops it, with the line of the rule", async () => {
    const { code, out } = await centre.run(FLOW.replace("5432", "8080"));
    expect(code).toBe(0);
    expect(out.trim().split("\n").at(-1)).toBe("stopped  edge: deny-all; cloud: server db-1 is in db, of which no rule lets it in");
  });

  it.each([
    ["arrives", FLOW, 0],
    ["stopped", FLOW, 2],
    ["stopped", FLOW.replace("5432", "8080"), 0],
    ["arrives", FLOW.replace("5432", "8080"), 2],
    ["stopped", `${FLOW} --through cloud`, 2],
    ["arrives", `${FLOW} --through cloud`, 2],
  ])("holds the end against --expect %s: %s", async (end, line, expected) => {
    expect((await centre.run(`${line} --expect ${end}`)).code).toBe(expected);
  });

  it("is unknown if a target cannot be read, and ends with a failure", async () => {
    centre.environment.PASSWORD = "wrong";
    const { code, out } = await centre.run(FLOW);
    expect(code).toBe(1);
    expect(out).toContain("not known  who has 10.110.0.1, to whom cloud hands it by network web, no target says, unless edge would");
    expect(out).toContain("[login-refused]");
  });

  it("reads only the named targets", async () => {
    const { out } = await centre.run(`${FLOW} --through cloud`);
    expect(out).toContain("not known  who has 10.110.0.1, to whom cloud hands it by network web, no target says\n");
  });

  it("reads a firewall without documents, like reach and lint", async () => {
    expect((await centre.run("reach edge --from web --to db --service tcp/5432 --application postgres")).out).toContain("web-to-db");
    expect((await centre.run("lint edge")).out).toMatch(/^edge\n {2}vsys1 {2}\d+ rules/);
  });

  it.each([
    ["--source nobody --destination db-1 --service tcp/5432", "flow-not-understood"],
    ["--source web-1 --destination db-1 --service tcp/5432 --scope vsys9", "rules-not-read"],
  ])("refuses %s", async (words, error) => {
    const { code, out, err } = await centre.run(`reach cloud --whole-path ${words}`);
    expect(code).toBe(1);
    expect(out + err).toContain(`[${error}]`);
  });
});
