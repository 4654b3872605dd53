import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliWorld, openWorld } from "../world.js";

let world: CliWorld;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const RULES = "edge/rules/security.yaml";
const OBJECTS = "edge/objects.yaml";
const document = (file: string) => readFileSync(join(world.folder, "desired-state", file), "utf8");
const write = (file: string, text: string) => writeFileSync(join(world.folder, "desired-state", file), text);
const git = (...words: string[]) => execFileSync("git", ["-C", world.folder, ...words], { encoding: "utf8" });

describe("a service without ports", () => {
  const PING = "edge --from web-01 --to db-01 --service icmp --application ping --reason CHG-1";

  it("gets a rule on the default of the application, which opens exactly its ICMP type, and revoke closes it again", async () => {
    const { code, out } = await world.run(`allow ${PING} --write`);
    expect(out).toContain("* 1 add rule web-01-to-db-01-ping above rule deny-all (service application-default)");
    expect(out).toContain("opens exactly the request");
    expect(out).toContain("The request is limited to flows of which the ICMP type is 8, as the application defines it.");
    expect(out).toMatch(/ 2 add rule .*\(service any\)[\s\S]*also opens/);
    expect(code).toBe(0);
    expect(document(RULES)).toContain("application: [ping]\n          service: [application-default]");
    const again = await world.run(`allow ${PING}`);
    expect([again.code, again.out]).toEqual([0, expect.stringContaining("already allowed")]);
    const revoked = await world.run(`revoke ${PING} --write`);
    expect(revoked.out).toContain("closes exactly the request");
    expect(revoked.out).toContain("limited to flows of which the ICMP type is 8");
    expect([revoked.code, document(RULES)]).toEqual([0, expect.not.stringContaining("web-01-to-db-01-ping")]);
  });

  it("is closed by a deny rule on the default of the application", async () => {
    await world.run(`allow ${PING} --write`);
    const { code, out } = await world.run(`revoke ${PING} --choose 2 --write`);
    expect(out).toContain("add rule deny-web-01-to-db-01-ping above rule web-01-to-db-01-ping (service application-default)");
    expect(code).toBe(0);
    expect((await world.run(`revoke ${PING}`)).out).toContain("already denied");
  });

  it("is an IP protocol if the application has one", async () => {
    const { out } = await world.run("allow edge --from web-01 --to db-01 --service gre --application gre --reason CHG-1");
    expect(out).toContain("* 1 add rule web-01-to-db-01-gre above rule deny-all (service application-default)");
    expect(out).toContain("opens exactly the request");
    expect(out).not.toContain("The request is limited");
  });

  it("shows the excess, and is not written, if the default of the application has ports", async () => {
    const { code, out } = await world.run("allow edge --from web-01 --to db-01 --service icmp --application ssh --reason CHG-1 --write");
    expect(out).toContain("(service any)");
    expect(out).toMatch(/also opens[\s\S]*any but icmp · ssh/);
    expect(code).toBe(3);
    expect(git("status", "--porcelain", "desired-state")).toBe("");
  });
});

describe("an FQDN", () => {
  const line = (to: string) => `allow edge --from web-01 --to ${to} --to-zone untrust --service tcp/443 --application ssl --reason CHG-1`;

  it("without an object gets one, and the rule opens only flows to it", async () => {
    const { code, out } = await world.run(`${line("API.example.com")} --write`);
    expect(out).toMatch(/\* 1 add rule web-01-to-API\.example\.com-ssl .*, with new address api\.example\.com/);
    expect(out).toContain("opens exactly the request");
    expect(out).toContain("if the destination is in API.example.com (FQDN)");
    expect(out).toContain("Plumbline does not know the addresses of API.example.com.");
    expect(code).toBe(0);
    expect(document(OBJECTS)).toContain("api.example.com: { fqdn: api.example.com }");
    expect((await world.run(line("api.example.com"))).out).toContain("already allowed");
    const other = await world.run(
      "allow edge --from web-01 --to 192.0.2.9 --to-zone untrust --service tcp/443 --application ssl --reason CHG-1",
    );
    expect(other.out).toContain("depends on facts outside the configuration");
  });

  it("reuses its object, also for another spelling of the name, and can be one more member of a rule for another FQDN", async () => {
    await world.run(`${line("api.example.com")} --write`);
    const { code, out } = await world.run(`${line("Updates.example.net.")} --write`);
    expect(out).toContain("* 1 add updates to destination of rule web-01-to-api.example.com-ssl");
    expect(out).toContain("opens exactly the request");
    expect(code).toBe(0);
    expect(document(RULES)).toContain("destination: [api.example.com, updates]");
    expect((await world.run(line("updates"))).out).toContain("already allowed");
  });

  it("needs its zone, and stays conditional if another unknown fact decides", async () => {
    const unplaced = await world.run("allow edge --from web-01 --to api.example.com --service tcp/443 --application ssl --reason CHG-1");
    expect(unplaced.out).toContain('The zone of "api.example.com" is not known');
    write(
      RULES,
      document(RULES)
        .replace("from: [office]\n          to: [untrust]", "from: [web]\n          to: [untrust]")
        .replace("source: [inside]", "source: [any]\n          schedule: office"),
    );
    write(OBJECTS, `${document(OBJECTS)}  schedule:\n    office: { schedule-type: { recurring: { daily: ["08:00-17:00"] } } }\n`);
    const { code, out } = await world.run(`${line("api.example.com")} --write`);
    expect(out).toContain("depends on facts outside the configuration");
    expect(code).toBe(2);
  });

  it("is revoked by the removal of its rule", async () => {
    await world.run(`${line("api.example.com")} --write`);
    const { code, out } = await world.run(`${line("api.example.com").replace("allow", "revoke")} --write`);
    expect(out).toContain("remove rule web-01-to-api.example.com-ssl");
    expect(out).toContain("Plumbline does not know the addresses of api.example.com.");
    expect(out).toContain("closes exactly the request");
    expect([code, document(RULES)]).toEqual([0, expect.not.stringContaining("api.example.com")]);
  });
});

describe("a user", () => {
  const line = (user: string, command = "allow") =>
    `${command} edge --from web-01 --to db-01 --service tcp/22 --application ssh --user ${user} --reason CHG-1`;
  const ALICE = "corp\\alice";

  it("is in the new rule, which opens only the flows of this user", async () => {
    const { code, out } = await world.run(`${line(ALICE)} --write`);
    expect(out).toContain("tcp/22 · ssh · user corp\\alice: not allowed now");
    expect(out).toContain("opens exactly the request");
    expect(out).toContain("Plumbline does not know in which groups corp\\alice is.");
    expect(code).toBe(0);
    expect(document(RULES)).toContain("source-user: [corp\\alice]");
    expect((await world.run(line("CORP\\Alice"))).out).toContain("already allowed");
    const everybody = await world.run(line(ALICE).replace(`--user ${ALICE} `, ""));
    expect(everybody.out).toContain("if the user is corp\\alice (user or group)");
    expect([everybody.code, everybody.out]).toEqual([3, expect.not.stringContaining("already allowed")]);
  });

  it("is one more member of a rule for another user", async () => {
    await world.run(`${line(ALICE)} --write`);
    const { code, out } = await world.run(`${line("corp\\bob")} --until 2999-12-31 --write`);
    expect(out).toContain("* 1 add corp\\bob to source-user of rule web-01-to-db-01-ssh");
    expect(out).toContain("opens exactly the request");
    expect(code).toBe(0);
    expect(document(RULES)).toContain("source-user: [corp\\alice, corp\\bob]");
    expect(document(RULES)).toContain("[until 2999-12-31 for source-user corp\\bob]");
  });

  it("may be in a group that a rule names, and then no edit is designed", async () => {
    write(
      RULES,
      document(RULES).replace(
        "source: [web-servers]\n          destination: [db-01]\n          source-user: [any]",
        "source: [web-servers]\n          destination: [db-01]\n          source-user: ['cn=staff,dc=corp']",
      ),
    );
    const { code, out } = await world.run(
      `allow edge --from web-01 --to db-01 --service tcp/5432 --application postgres --user ${ALICE} --reason CHG-1 --write`,
    );
    expect(out).toContain("depends on facts outside the configuration");
    expect(out).toContain("cn=staff,dc=corp");
    expect(code).toBe(2);
  });

  it("is revoked by a deny rule for this user, if the rule is for every user", async () => {
    const { code, out } = await world.run(
      `revoke edge --from web-01 --to db-01 --service tcp/5432 --application postgres --user ${ALICE} --reason CHG-1 --write`,
    );
    expect(out).toContain("* 1 add rule deny-web-01-to-db-01-postgres above rule web-to-db");
    expect(out).toContain("closes exactly the request");
    expect(code).toBe(0);
    expect(document(RULES)).toContain("source-user: [corp\\alice]");
  });

  it("can be in a file of requests, and any is refused", async () => {
    writeFileSync(
      join(world.folder, "requests.csv"),
      "from,to,service,application,user\nweb-01,db-01,tcp/22,ssh,corp\\alice\nweb-02,db-01,tcp/22,ssh,\n",
    );
    const { code } = await world.run("allow edge --requests requests.csv --reason CHG-1 --write");
    expect(code).toBe(0);
    expect(document(RULES)).toContain("source-user: [corp\\alice]");
    expect((await world.run(line("any"))).out).toContain("--user any: an access request names its flows.");
  });
});
