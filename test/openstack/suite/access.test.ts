import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { document, Repository } from "../harness/repository.js";

const PROJECT = `networks:
  app: { subnets: { app-a: { cidr: 192.0.2.0/25 } } }
security_groups:
  web: {}
  db:
    rules:
      # clients
      - { direction: ingress, protocol: tcp, port_range_min: 5432, port_range_max: 5432, remote_group: web }
ports:
  vip: { network: app, fixed_ips: [{ subnet: app-a, ip_address: 192.0.2.20 }], security_groups: [db] }
servers:
  web-1: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 192.0.2.11 }], security_groups: [web] }
  web-2: { image: cirros, flavor: m1.tiny, networks: [{ network: app, fixed_ip: 192.0.2.12 }], security_groups: [web] }
`;

onEachCloud("access requests", (open) => {
  it("are written, applied and revoked, and no plan has a change then", async () => {
    const rig = await open();
    const repository = Repository.create(rig, { "cloud/main.yaml": document(PROJECT) });
    const before = readFileSync(join(repository.folder, "cloud/main.yaml"), "utf8");
    const succeed = async (...words: string[]): Promise<string> => {
      const done = await repository.plumbline(...words);
      expect(done, done.err + done.out).toMatchObject({ code: 0 });
      return done.out;
    };
    const apply = async () => {
      repository.git("commit", "-qam", "edit");
      repository.git("push", "-q", "origin", "main");
      await succeed("reconcile");
      await succeed("plan");
    };
    await succeed("reconcile");

    const asked = (service: string, from: string, to: string) => [
      "cloud",
      "--from",
      from,
      "--to",
      to,
      "--service",
      service,
      "--reason",
      "CHG-1",
    ];
    // A rule in a group that only the receiver is in, a new group, and a protocol without ports.
    for (const words of [
      asked("udp/514", "web-1", "vip"),
      [...asked("tcp/22", "192.0.2.20", "web-2"), "--until", "2999-12-31"],
      asked("icmp", "198.51.100.0/24", "web"),
    ]) {
      expect(await succeed("allow", ...words, "--write")).toContain("opens exactly the request");
      await apply();
      expect(await succeed("allow", ...words)).toContain("already allowed");
    }
    for (const words of [
      asked("icmp", "198.51.100.0/24", "web"),
      asked("tcp/22", "vip", "web-2"),
      asked("udp/514", "web-1", "192.0.2.20"),
    ]) {
      expect(await succeed("revoke", ...words, "--write")).toContain("closes exactly the request");
      await apply();
      expect(await succeed("revoke", ...words)).toContain("already denied");
    }
    const after = readFileSync(join(repository.folder, "cloud/main.yaml"), "utf8");
    // The new group and its member stay, without its rule.
    const left = after.replace(/ +vip-to-web-2:\n +description: .*\n/, "").replace("[web, vip-to-web-2]", "[web]");
    expect(left).toBe(before);
  });
});
