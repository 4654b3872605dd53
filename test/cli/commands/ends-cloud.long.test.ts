import { beforeEach, describe, expect, it } from "vitest";
import { CloudDocument } from "../cloud-document.js";

const CLOUD = `target: cloud
scope: project
config:
  networks:
    app: { subnets: { app-a: { cidr: 10.110.0.0/24, gateway_ip: 10.110.0.1 } } }
  security_groups:
    web: {}
    # for the migration
    web-to-db:
      description: "CHG-1 [until 2021-03-31]"
      rules: [{ direction: ingress, protocol: tcp, port_range_min: 5432, port_range_max: 5432, remote_group: web }]
    db:
      rules:
        - { direction: ingress, protocol: tcp, port_range_min: 22, port_range_max: 22, remote_ip_prefix: 10.110.0.11/32 }
        - { direction: ingress, protocol: tcp, port_range_min: 80, port_range_max: 80, remote_ip_prefix: 10.110.0.11/32, description: "CHG-2 [until 2021-03-31]" }
        - { direction: ingress, protocol: tcp, port_range_min: 81, port_range_max: 81, remote_ip_prefix: 10.110.0.11/32, description: "CHG-3 [until 2999-12-31]" }
  servers:
    web-1: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 10.110.0.11 }], security_groups: [web] }
    db-1: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 10.110.0.21 }], security_groups: [db, web-to-db] }
`;
const FILE = "documents/cloud.yaml";

let cloud: CloudDocument;
beforeEach(async () => {
  cloud = await CloudDocument.start(CLOUD);
});
const document = () => cloud.text;
const run = (line: string) => cloud.centre.run(line);

describe("end dates in a cloud", () => {
  it("are shown by status and lint", async () => {
    const status = await run("status");
    expect(status.out).toContain("db: ingress tcp/80 from 10.110.0.11/32");
    expect(status.out).toContain("security group web-to-db");
    const lint = await run("lint cloud");
    expect(lint.out).toMatch(/db: ingress tcp\/80 from 10\.110\.0\.11\/32.*\n?.*2021-03-31/);
    expect(lint.out).not.toContain("2999-12-31");
  });

  it("are removed with their rules and groups by lint --fix, with the flows that close", async () => {
    const { code, out } = await run("lint cloud --fix --write");
    expect([code, out]).toEqual([
      expect.any(Number),
      expect.stringContaining("remove security group web-to-db: ended (last day 2021-03-31)"),
    ]);
    expect(out).toContain("remove db: ingress tcp/80 from 10.110.0.11/32: ended (last day 2021-03-31)");
    expect(out).toContain("closes");
    expect(out).toContain(`written  ${FILE}`);
    const after = CLOUD.replace(/ {4}# for the migration\n[\s\S]*?( {4}db:)/, "$1").replace(/.*CHG-2.*\n/, "");
    expect(document()).toBe(after.replace("[db, web-to-db]", "[db]"));
    const applied = await cloud.centre.push().run("reconcile cloud");
    expect([applied.code, applied.out]).toEqual([0, expect.anything()]);
    expect((await run("plan cloud")).code).toBe(0);
  });
});
