import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { afterTest } from "../../after-test.js";
import { openWorld } from "../../cli/world.js";

const member = (tag: string, text: string) => `<${tag}><member>${text}</member></${tag}>`;
const rule = (name: string, application: string, service: string) =>
  `<entry name="${name}">${member("from", "web")}${member("to", "db")}${member("source", "any")}${member("destination", "any")}${member("application", application)}${member("service", service)}<action>allow</action></entry>`;
const RULES = [rule("chat", "facebook-base", "any"), rule("tls", "ssl", "application-default")].join("");
const EDGE = readFileSync("test/fixtures/edge/lab/edge.xml", "utf8").replace(/<security>\s*<rules>/, (found) => `${found}${RULES}`);

describe("the applications of a device", () => {
  let world: Awaited<ReturnType<typeof openWorld>>;
  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), "plumbline-applications-"));
    afterTest(() => rmSync(folder, { recursive: true }));
    const file = join(folder, "edge.xml");
    writeFileSync(file, EDGE);
    world = await openWorld(file);
    afterTest(() => world.close());
  });
  const reach = (words: string) => world.run(`reach edge --from web --to db ${words}`);
  const reads = () => world.lab.device.state.journal.filter(({ params }) => params.xpath?.startsWith("/config/predefined") === true).length;

  it("refuse a misspelt name, as an unknown zone is refused", async () => {
    const { code, out } = await reach("--application postgress");
    expect(code).toBe(1);
    expect(out).toContain('There is no application "postgress" in this rulebase.');
  });

  it("contain the applications of a container, so a rule for one of them certainly allows it", async () => {
    const { out } = await reach("--application facebook --service tcp/443");
    expect(out).toMatch(/allow {2}chat/);
    expect(out).not.toContain("application container");
  });

  it("have default ports, so application-default decides", async () => {
    const { out } = await reach("--application ssl --service tcp/443");
    expect(out).toMatch(/allow {2}tls/);
    expect(out).not.toContain("the application's default");
    expect((await reach("--application ssl --service tcp/8443")).out).not.toContain("tls");
  });

  it("decide an assertion: a misspelt name matches nothing, and default ports are known", async () => {
    const assertion = (name: string, application: string, port: number) =>
      `  - { name: ${name}, verdict: allow, from: [web], to: [db], destination: [db-01], service: [tcp/${port}], application: [${application}] }\n`;
    const assertions = assertion("tls", "ssl", 443) + assertion("other-port", "ssl", 8443) + assertion("misspelt", "postgress", 5432);
    writeFileSync(join(world.folder, "desired-state/edge/applications.yaml"), `target: edge\nscope: vsys1\nassert:\n${assertions}`);
    world.commit("assertions");
    const { out } = await world.run("drift --format json");
    const { targets } = JSON.parse(out) as { targets: { assertions: { name: string; state: string; why: string[] }[] }[] };
    const states = targets[0]?.assertions.filter(({ name }) => ["tls", "other-port", "misspelt"].includes(name));
    expect(states?.map(({ name, state }) => [name, state])).toEqual([
      ["tls", "holds"],
      ["other-port", "broken"],
      ["misspelt", "empty"],
    ]);
    expect(states?.[2]?.why.join()).toContain('There is no application "postgress"');
  });

  it("are read in two requests, if a rule uses application-default or a question names one", async () => {
    await reach("--service tcp/443");
    expect(reads()).toBe(2);
  });

  it("decide the rows of a plan, without a condition about default ports", async () => {
    const path = join(world.folder, "desired-state/edge/rules/security.yaml");
    const before = readFileSync(path, "utf8");
    const ends = "from: [web], to: [db], source: [any], destination: [any], source-user: [any], category: [any]";
    const rule = `- { name: mail, ${ends}, application: [smtp], service: [application-default], action: allow }`;
    writeFileSync(
      path,
      before.replace("      rules:\n", (found) => `${found}        ${rule}\n\n`),
    );
    world.commit("mail");
    const { out } = await world.run("plan");
    expect(out).toContain("tcp/25 · smtp");
    expect(out).not.toContain("default port");
  });

  describe("in a document", () => {
    const file = () => join(world.folder, "desired-state/edge/ports.yaml");
    const record = (known: string, more = "") =>
      writeFileSync(
        file(),
        `target: edge\nscope: shared\napplications:\n  content: 8799-8509\n  read: 2026-11-01\n  known: { ${known} }\n${more}`,
      );
    const hide = () => {
      const { administrators } = world.lab.device.state;
      for (const each of administrators.all()) administrators.add({ ...each, role: { kind: "custom", hidden: ["/config/predefined"] } });
    };

    it("decide if the device does not show them", async () => {
      hide();
      record("ssl: [tcp/443], facebook: { contains: [facebook-base] }, facebook-base: no fixed ports");
      world.commit("applications");
      const { out } = await reach("--application ssl --service tcp/443");
      expect(out).toMatch(/allow {2}tls/);
      expect(out).not.toContain("the application's default");
      expect((await reach("--application facebook --service tcp/443")).out).not.toContain("application container");
      expect((await reach("--application postgres --service tcp/5432")).out).toContain("unread application");
    });

    it("may be an ICMP type or an IP protocol", async () => {
      record("ping: [icmp/8], gre: ['47'], icmp: [icmp/9]");
      world.commit("applications");
      const { out, err } = await world.run("plan");
      expect(out + err).not.toMatch(/Application (ping|gre)/);
      expect(out + err).toContain("Application icmp is 1 on the device, and icmp/9 in ");
      record("ping: [icmp/256]");
      const wrong = await world.run("validate");
      expect(wrong.out + wrong.err).toContain('"icmp/256" is no port.');
    });

    it("are reported by plan and drift if the device's content differs", async () => {
      record("ssl: [tcp/443], smtp: ['tcp/25,587']");
      world.commit("applications");
      for (const command of ["plan", "drift"]) {
        const { out, err } = await world.run(command);
        expect(out + err).toContain("Application smtp is tcp/25 on the device, and tcp/25,587 in ");
        expect(out + err).not.toContain("Application ssl");
      }
    });

    it("are reported by validate if one is missing there", async () => {
      const asked = "assert:\n  - { name: mail, verdict: deny, from: [web], to: [db], application: [smtp] }\n";
      record("ssl: [tcp/443]", asked);
      const { out, err } = await world.run("validate");
      expect(out + err).toContain("applications: does not contain smtp");
      record("ssl: [tcp/443], smtp: [tcp/25], dns: [udp/53], web-browsing: [tcp/80]", asked);
      const again = await world.run("validate");
      expect(again.out + again.err).not.toContain("does not contain");
    });

    it.each([
      ["ssl: [tcp/99999]", '"tcp/99999" is no port'],
      ["ssl: []", "ssl: has no ports"],
      ["ssl: {}", "ssl: has no contains:"],
    ])("are refused if invalid: %s", async (known, message) => {
      record(known);
      const { out, err } = await world.run("validate");
      expect(out + err).toContain(message);
    });
  });

  it("are written by import, once, and agree with the device", async () => {
    const first = await world.run("import edge --out imported");
    expect(first.out).toContain("applications.yaml");
    const path = join(world.folder, "imported/desired-state/edge/applications.yaml");
    const file = [path, join(world.folder, "imported/edge/applications.yaml")].find(existsSync) ?? path;
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(/^ {4}ssl: \[ ?tcp\/443 ?\]$/m);
    expect((await world.run("import edge --out imported")).out).not.toContain("applications.yaml");
    expect((await world.run("validate --config imported/plumbline.yaml")).err).not.toContain("applications");
  });

  it("are not known if the device does not show them", async () => {
    const { administrators } = world.lab.device.state;
    for (const each of administrators.all()) administrators.add({ ...each, role: { kind: "custom", hidden: ["/config/predefined"] } });
    const { out } = await reach("--application postgress --service tcp/443");
    expect(out).toContain("unread application");
  });
});
