import { beforeEach, describe, expect, it } from "vitest";
import { CloudDocument } from "../cloud-document.js";

const CLOUD = `target: cloud
scope: project
config:
  networks:
    app: { subnets: { app-a: { cidr: 10.110.0.0/24, gateway_ip: 10.110.0.1 } } }
  security_groups:
    web: {} # the web team's
    jobs: {}
    db:
      # reviewed in May
      rules:
        # clients of the database
        - { direction: ingress, protocol: tcp, port_range_min: 5432, port_range_max: 5432, remote_group: web }
    cache:
      rules:
        - direction: ingress   # monitoring
          protocol: udp
          port_range_min: 161
          port_range_max: 161
          remote_ip_prefix: 10.110.0.40/32
  servers:
    web-1: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 10.110.0.11 }], security_groups: [web] }
    db-1: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 10.110.0.21 }], security_groups: [db] }
    cache-1: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 10.110.0.31 }], security_groups: [cache] }
    cache-2: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 10.110.0.32 }], security_groups: [cache] }
    batch: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 10.110.0.41 }], security_groups: [jobs] }
`;
const FILE = "documents/cloud.yaml";

let cloud: CloudDocument;
beforeEach(async () => {
  cloud = await CloudDocument.start(CLOUD);
});
const document = () => cloud.text;
const run = (line: string) => cloud.centre.run(line);
const applied = (request: string) => cloud.applied(request, "already allowed");

describe("an access request for a cloud", () => {
  it("adds a rule without a name to a list in flow style, and keeps comments", async () => {
    const request = "allow cloud --from cache-1 --to db-1 --service tcp/5432 --reason CHG-1";
    const { code, out, err } = await run(`${request} --choose 2 --write`);
    expect([code, out, err]).toEqual([0, expect.stringContaining(`written  ${FILE}`), expect.anything()]);
    expect(out).toContain("add ingress tcp/5432 from 10.110.0.31/32 to security group db");
    expect(document()).toBe(
      CLOUD.replace(
        "remote_group: web }\n",
        "remote_group: web }\n        - { direction: ingress, protocol: tcp, port_range_min: 5432, port_range_max: 5432, remote_ip_prefix: 10.110.0.31/32, description: CHG-1 }\n",
      ),
    );
    await applied(request);
  });

  it("adds a server to a group that another group names", async () => {
    const request = "allow cloud --from batch --to db-1 --service tcp/5432 --reason CHG-1";
    const { code, out } = await run(`${request} --write`);
    expect([code, out]).toEqual([0, expect.stringContaining("* 1 add server batch to security group web")]);
    expect(document()).toBe(CLOUD.replace("security_groups: [jobs]", "security_groups: [jobs, web]"));
    await applied(request);
  });

  it("adds a new group if the existing ones have other members", async () => {
    const request = "allow cloud --from web-1 --to cache-1 --service tcp/11211 --reason CHG-2 --until 2999-12-31";
    const { code, out } = await run(`${request} --write`);
    expect([code, out]).toEqual([0, expect.stringContaining("add new security group web-1-to-cache-1")]);
    expect(document()).toContain("    web-1-to-cache-1:");
    expect(document()).toContain("CHG-2 [until 2999-12-31]");
    expect(document()).toMatch(/cache-1: \{.*security_groups: \[ ?cache, web-1-to-cache-1 ?\]/);
    await applied(request);
  });

  it("adds a rule to a list in block style if the group is requested", async () => {
    const request = "allow cloud --from web --to cache --service tcp/11211 --reason CHG-3";
    const { code, out } = await run(`${request} --write`);
    expect([code, out]).toEqual([0, expect.stringContaining("* 1 add ingress tcp/11211 from group web to security group cache")]);
    expect(document()).toContain("        - direction: ingress   # monitoring\n");
    expect(document()).toMatch(/remote_group: web\n/);
    await applied(request);
  });

  it("adds the first rule of a group", async () => {
    const request = "allow cloud --from web-1 --to batch --service tcp/22 --reason CHG-4";
    const { code, out } = await run(`${request} --write`);
    expect([code, out]).toEqual([0, expect.stringContaining("* 1 add ingress tcp/22 from 10.110.0.11/32 to security group jobs")]);
    expect(document()).toMatch(/jobs: \{ rules: |jobs:\n {6}rules:\n {8}- \{? ?direction: ingress/);
    expect(document()).not.toContain("egress");
    await applied(request);
  });

  it("shows what a design opens in addition, and refuses it", async () => {
    const request = "allow cloud --from web-1 --to cache-1 --service tcp/22 --reason CHG-4 --choose 2 --write";
    const { code, out } = await run(request);
    expect([code, out]).toEqual([
      3,
      expect.stringMatching(/add ingress tcp\/22 from 10.110.0.11\/32 to security group cache\n +also opens/),
    ]);
    expect(document()).toBe(CLOUD);
    expect((await run(`${request} --accept-excess`)).code).toBe(0);
  });

  it("does not change one of several servers that a document creates together", async () => {
    const worker = "    worker: { $count: 2, image: cirros, flavor: m1.tiny, networks: [{ network: app }], security_groups: [cache] }\n";
    cloud.centre.file(FILE, `${CLOUD}${worker}`).push();
    expect((await run("reconcile cloud")).code).toBe(0);
    const { code, out } = await run("allow cloud --from web-1 --to worker-1 --service tcp/22 --reason CHG-7 --write");
    expect([code, out]).toEqual([3, expect.stringContaining("1 add ingress tcp/22 from 10.110.0.11/32 to security group cache")]);
    expect(out).toContain("also opens");
    expect(out).not.toContain("new security group");
    expect(document()).toBe(`${CLOUD}${worker}`);
  });

  it("answers several requests of a file, each after the ones before", async () => {
    cloud.centre.file(
      "requests.csv",
      "from,to,service,application\nweb-1,cache-1,tcp/11211,any\nweb-1,cache-1,tcp/11212,any\ncache-2,db-1,tcp/5432,any\n",
    );
    const { code, out } = await run("allow cloud --requests requests.csv --reason CHG-6 --write");
    expect([code, out]).toEqual([
      0,
      expect.stringContaining("add ingress tcp/11212 from 10.110.0.11/32 to security group web-1-to-cache-1"),
    ]);
    expect(document().match(/CHG-6/g)).toHaveLength(2);
    cloud.centre.remove("requests.csv");
    await applied("allow cloud --from web-1 --to cache-1 --service tcp/11212 --reason CHG-6");
  });

  it.each([
    ["--from web-9 --to db-1 --service tcp/22", 'There is no group, port, server or floating IP "web-9" in this project. Did you mean'],
    ["--from 0.0.0.0/0 --to db-1 --service tcp/22", '"0.0.0.0/0" is every address'],
    ["--from web-1 --to web-1 --service tcp/22", "Both ends are server web-1."],
    ["--from 192.0.2.1 --to 192.0.2.2 --service tcp/22", "No port of the project has an address of 192.0.2.1 or 192.0.2.2."],
    ["--from web-1 --to db-1 --service icmp/8", "icmp has no ports."],
    ["--from 192.0.2.1-192.0.2.9 --to db-1 --service tcp/22", "Security groups have no address ranges"],
    ["--from 2001:db8::1 --to db-1 --service tcp/22", "have no addresses of the same IP version"],
  ])("is refused with the reason: %s", async (words, reason) => {
    const { code, out } = await run(`allow cloud ${words} --reason CHG-5 --write`);
    expect([code, out]).toEqual([3, expect.stringContaining(reason)]);
    expect(document()).toBe(CLOUD);
  });
});
