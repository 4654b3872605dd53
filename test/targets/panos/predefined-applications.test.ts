import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

  it("are not read if no question names one", async () => {
    await reach("--service tcp/443");
    expect(reads()).toBe(0);
  });

  it("are not known if the device does not show them", async () => {
    const { administrators } = world.lab.device.state;
    for (const each of administrators.all()) administrators.add({ ...each, role: { kind: "custom", hidden: ["/config/predefined"] } });
    const { out } = await reach("--application postgress --service tcp/443");
    expect(out).toContain("unread application");
  });
});
