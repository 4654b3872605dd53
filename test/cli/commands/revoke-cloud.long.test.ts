import { beforeEach, describe, expect, it } from "vitest";
import { CloudDocument } from "../cloud-document.js";

const CLOUD = `target: cloud
scope: project
config:
  networks:
    app: { subnets: { app-a: { cidr: 10.110.0.0/24, gateway_ip: 10.110.0.1 } } }
  security_groups:
    web: {}
    base: {}
    db:
      rules:
        # clients of the database
        - { direction: ingress, protocol: tcp, port_range_min: 5432, port_range_max: 5432, remote_group: web }

        # replication
        - { direction: ingress, protocol: tcp, port_range_min: 5433, port_range_max: 5435, remote_ip_prefix: 10.110.0.31/32 } # of both
    cache:
      rules:
        - direction: ingress
          protocol: tcp
          port_range_min: 11211
          port_range_max: 11211
          remote_group: web
  servers:
    web-1: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 10.110.0.11 }], security_groups: [base, web] }
    db-1: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 10.110.0.21 }], security_groups: [db] }
    cache-1: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 10.110.0.31 }], security_groups: [cache] }
`;
const FILE = "documents/cloud.yaml";

let cloud: CloudDocument;
beforeEach(async () => {
  cloud = await CloudDocument.start(CLOUD);
});
const document = () => cloud.text;
const run = (line: string) => cloud.centre.run(line);
const applied = (request: string) => cloud.applied(request, "already denied");

describe("closing a flow in a cloud", () => {
  it("removes a rule without a name, and its comment", async () => {
    const request = "revoke cloud --from web-1 --to db-1 --service tcp/5432 --reason CHG-1";
    const { code, out } = await run(`${request} --write`);
    expect([code, out]).toEqual([0, expect.stringContaining("remove ingress tcp/5432 from group web from security group db")]);
    expect(document()).toBe(CLOUD.replace(/ {8}# clients of the database\n.*\n\n/, ""));
    await applied(request);
  });

  it("removes the only rule of a group", async () => {
    const request = "revoke cloud --from web --to cache --service tcp/11211 --reason CHG-1";
    const { code, out } = await run(`${request} --write`);
    expect([code, out]).toEqual([0, expect.stringContaining("closes exactly the request")]);
    expect(document()).toContain("    cache: {}\n");
    await applied(request);
  });

  it("replaces a rule for several ports", async () => {
    const request = "revoke cloud --from cache-1 --to db-1 --service tcp/5434 --reason CHG-1";
    const { code, out } = await run(`${request} --write`);
    const both = "ingress tcp/5433 from 10.110.0.31/32 and ingress tcp/5435 from 10.110.0.31/32";
    expect([code, out]).toEqual([0, expect.stringContaining(`in security group db by ${both}`)]);
    expect(document()).toContain("        # clients of the database\n");
    expect(document()).toContain("port_range_min: 5433, port_range_max: 5433");
    await applied(request);
  });

  it("closes more only with --accept-excess", async () => {
    const request = "revoke cloud --from 10.110.0.0/25 --to cache-1 --service tcp/11211 --reason CHG-1 --write";
    cloud.centre.file(FILE, CLOUD.replace("          remote_group: web\n", "          remote_ip_prefix: 10.110.0.0/24\n")).push();
    expect((await run("reconcile cloud")).code).toBe(0);
    const exact = await run(request);
    expect([exact.code, exact.out]).toEqual([0, expect.stringContaining("by ingress tcp/11211 from 10.110.0.128/25")]);
    cloud.centre.git("checkout", "-q", ".");
    const wider = request.replace("10.110.0.0/25", "10.110.0.9").replace("tcp/11211", "tcp/11211");
    cloud.centre.file(FILE, CLOUD.replace("          remote_group: web\n", "          remote_ip_prefix: 10.0.0.0/8\n")).push();
    expect((await run("reconcile cloud")).code).toBe(0);
    const refused = await run(wider);
    expect([refused.code, refused.out]).toEqual([3, expect.stringContaining("also closes")]);
  });
});
