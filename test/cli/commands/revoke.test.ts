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
const document = (file = RULES) => readFileSync(join(world.folder, "desired-state", file), "utf8");
const write = (file: string, text: string) => writeFileSync(join(world.folder, "desired-state", file), text);
const git = (...words: string[]) => execFileSync("git", ["-C", world.folder, ...words], { encoding: "utf8" });
const POSTGRES = "--to db-01 --service tcp/5432 --reason CHG-9";

describe("revoke", () => {
  it("of a flow that is denied exits with 0 and writes nothing", async () => {
    const { code, out } = await world.run("revoke edge --from web-01 --to db-01 --service tcp/22 --reason CHG-9 --write");
    expect(out).toContain("web-01 (web) > db-01 (db)  tcp/22 · any: already denied");
    expect(code).toBe(0);
    expect(git("status", "--porcelain", "desired-state")).toBe("");
  });

  it("replaces a group in the rule by its other members, and shows a deny rule as the second design", async () => {
    const { code, out } = await world.run(`revoke edge --from web-01 ${POSTGRES}`);
    expect(out).toContain("web-01 (web) > db-01 (db)  tcp/5432 · any: can pass now");
    expect(out).toMatch(/allow {2}web-to-db {2}edge\/rules\/security\.yaml:\d+/);
    expect(out).toMatch(/\* 1 .*web-01.* from|\* 1 replace web-servers by its other members in source of rule web-to-db/);
    expect(out).toContain("closes exactly the request");
    expect(out).toMatch(/ 2 add rule deny-web-01-to-db-01-tcp-5432 above rule web-to-db/);
    expect(out).toContain("Not written. Add --write");
    expect(code).toBe(2);
    expect(git("status", "--porcelain", "desired-state")).toBe("");
  });

  it("removes the rule if it allows nothing else, and the flow is then denied", async () => {
    const line = "revoke edge --from web-servers --to db-01 --service tcp/5432 --application postgres --reason CHG-9 --write";
    const { code, out } = await world.run(line);
    expect(out).toContain("remove rule web-to-db");
    expect(code).toBe(0);
    expect(document()).not.toContain("- name: web-to-db");
    expect((await world.run(line)).out).toContain("already denied");
  });

  it("adds the deny rule of the second design, with the reason in its description and the logs of other deny rules", async () => {
    const { code } = await world.run(`revoke edge --from web-01 ${POSTGRES} --choose 2 --write`);
    expect(code).toBe(0);
    const added = git("diff", "--unified=0", "desired-state")
      .split("\n")
      .filter((line) => line.startsWith("+ "))
      .map((line) => line.slice(1).trim());
    expect(added).toEqual(
      expect.arrayContaining(["- name: deny-web-01-to-db-01-tcp-5432", "description: CHG-9", "action: deny", "log-setting: to-siem"]),
    );
    expect(added).not.toContain("application: [postgres]");
  });

  it("removes one member of a field", async () => {
    write(
      RULES,
      document().replace(
        "source: [web-servers]\n          destination: [db-01]",
        "source: [web-01, web-02]\n          destination: [db-01]",
      ),
    );
    const { code, out } = await world.run(`revoke edge --from web-01 ${POSTGRES} --write`);
    expect(out).toContain("remove web-01 from source of rule web-to-db");
    expect(code).toBe(0);
    expect(document()).toContain("source: [web-02]\n");
  });

  it("keeps an assertion, and edits nothing", async () => {
    const allow =
      "    verdict: allow\n    some: true\n    from: [web]\n    to: [db]\n    source: [web-01]\n    service: [tcp/5432]\n    application: [postgres]\n";
    write("edge/expect.yaml", `target: edge\nscope: vsys1\nassert:\n  - name: web-needs-db\n${allow}`);
    const { code, out } = await world.run(`revoke edge --from web-01 ${POSTGRES} --write`);
    expect(out).toContain("It contradicts assertion web-needs-db");
    expect(code).toBe(3);
    expect(document()).toContain("source: [web-servers]");
  });

  it("is refused for names that do not exist and for any end", async () => {
    const unknown = await world.run(`revoke edge --from nobody ${POSTGRES}`);
    expect([unknown.code, unknown.out]).toEqual([3, expect.stringContaining('There is no zone, address or object "nobody"')]);
    const any = await world.run(`revoke edge --from any ${POSTGRES}`);
    expect([any.code, any.out]).toEqual([3, expect.stringContaining("an access request names its flows")]);
  });

  it("shows the logged sessions that it would stop", async () => {
    const flow = { from: "web", to: "db", source: "10.110.0.11", destination: "10.120.0.21", application: "postgres", port: 5432 };
    const { traffic } = world.lab.device.state;
    traffic.add([
      { ...flow, every: 3_600_000 },
      { ...flow, source: "10.110.0.12", every: 3_600_000 },
    ]);
    traffic.advance();
    const { out } = await world.run(`revoke edge --from web-01 ${POSTGRES} --replay 1h`);
    expect(out).toMatch(/- would be stopped {2}1 session {2}web > db {2}10\.110\.0\.11 > 10\.120\.0\.21 {2}tcp\/5432 · postgres/);
    expect(out).not.toContain("10.110.0.12 > 10.120.0.21");
  });

  it("is committed to a branch with --propose --no-push, once", async () => {
    git("config", "user.email", "t@example.net");
    git("config", "user.name", "t");
    const line = `revoke edge --from web-01 ${POSTGRES} --propose --no-push`;
    const { code, out } = await world.run(line);
    expect(code).toBe(0);
    const [, branch = ""] = /proposed on branch (\S+)/.exec(out) ?? [];
    expect(git("log", "-1", "--format=%B", branch)).toContain("Revoke web-01 > db-01 tcp/5432 any\n\nCHG-9\n");
    expect((await world.run(line)).out).toContain(`proposed before on branch ${branch}`);
    expect(document(OBJECTS)).toContain("web-servers: { static: [web-01, web-02, web-03] }");
  });
});
