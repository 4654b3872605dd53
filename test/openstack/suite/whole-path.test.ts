import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { floatingIpKeyed } from "../harness/look.js";
import { document, Repository } from "../harness/repository.js";

const PROJECT = `networks:
  web: { subnets: { web-a: { cidr: 192.0.2.0/25 } } }
  db: { subnets: { db-a: { cidr: 192.0.2.128/25 } } }
routers: { edge: { external_network: public, interfaces: [web-a, db-a] } }
security_groups:
  web: { rules: [{ direction: ingress, protocol: tcp, port_range_min: 443, port_range_max: 443, remote_ip_prefix: 0.0.0.0/0 }] }
  db: { rules: [{ direction: ingress, protocol: tcp, port_range_min: 5432, port_range_max: 5432, remote_group: web }] }
ports: { vip: { network: db, fixed_ips: [{ subnet: db-a, ip_address: 192.0.2.200 }], security_groups: [db] } }
servers:
  web-1: { image: cirros, flavor: m1.tiny, networks: [{ network: web }], security_groups: [web] }
  db-1: { image: cirros, flavor: m1.tiny, networks: [{ port: vip }] }
floatingips: { front: { pool: public, server: web-1 } }
`;

interface Told {
  readonly paths: readonly {
    readonly verdict: string;
    readonly ends: string;
    readonly conditions: readonly string[];
    readonly hops: readonly { readonly way: object; readonly checks: readonly (readonly { readonly rule: string }[])[] }[];
  }[];
}

onEachCloud("the complete path of a flow", (open) => {
  it("passes groups, routers and floating IPs of a project, in both directions", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(PROJECT) });
    const done = await repository.plumbline("reconcile");
    expect(done, done.err + done.out).toMatchObject({ code: 0 });
    const ask = async (source: string, destination: string, service: string) => {
      const words = ["--whole-path", "--source", source, "--destination", destination, "--service", service, "--format", "json"];
      const asked = await repository.plumbline("reach", "cloud", ...words);
      expect(asked, asked.err + asked.out).toMatchObject({ code: 0 });
      const [path, ...more] = (JSON.parse(asked.out) as Told).paths;
      expect(more).toEqual([]);
      return path;
    };
    const rules = (path: Told["paths"][number] | undefined) => path?.hops.flatMap(({ checks }) => checks.map(([first]) => first?.rule));

    const inside = await ask("web-1", "db-1", "tcp/5432");
    expect(inside).toMatchObject({ verdict: "arrives", conditions: [], hops: [{ way: { via: ["router edge  192.0.2.128/25"] } }] });
    expect(inside?.ends).toBe("server db-1 (port vip) of cloud has it");
    expect(rules(inside)).toEqual(["web: any to 0.0.0.0/0", "db: tcp/5432 from web"]);
    expect((await ask("web-1", "db-1", "tcp/22"))?.verdict).toBe("stopped");

    const { floating_ip_address: front } = await floatingIpKeyed(rig.user, "front");
    const out = await ask("web-1", "198.51.100.9", "tcp/443");
    expect(out).toMatchObject({ verdict: "unknown", hops: [{ way: { translation: { rule: "floating IP front", source: front } } }] });
    expect(out?.ends).toMatch(/by public of cloud|by public|public of cloud/);
    const back = await ask("db-1", front, "tcp/443");
    expect(back).toMatchObject({ verdict: "arrives", hops: [{ way: { translation: { rule: "router edge, floating IP front" } } }] });
  });
});
