import { describe, expect, it } from "vitest";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { ask } from "./ask.js";
import type { Wanted } from "./worlds.js";

const list = (tag: string, ...members: string[]) => `<${tag}>${members.map((text) => `<member>${text}</member>`).join("")}</${tag}>`;

interface Fields {
  readonly source?: string;
  readonly destination?: string;
  readonly application?: string;
  readonly service?: string;
  readonly user?: string;
  readonly action?: string;
  readonly more?: string;
}

function rule(name: string, fields: Fields): string {
  const {
    source = "any",
    destination = "any",
    application = "ssl",
    service = "tcp-443",
    user = "any",
    action = "allow",
    more = "",
  } = fields;
  const match = `${list("from", "a")}${list("to", "b")}${list("source", source)}${list("destination", destination)}${list("source-user", user)}`;
  return `<entry name="${name}">${match}${list("application", application)}${list("service", service)}${more}<action>${action}</action></entry>`;
}

const OBJECTS = `<zone><entry name="a"/><entry name="b"/></zone>
  <address><entry name="other"><fqdn>other.example.org</fqdn></entry><entry name="host"><ip-netmask>10.0.0.1</ip-netmask></entry></address>
  <service><entry name="tcp-443"><protocol><tcp><port>443</port></tcp></protocol></entry></service>
  <dynamic-user-group><entry name="contractors"><filter>'x'</filter></entry></dynamic-user-group>
  <schedule><entry name="office"><schedule-type><recurring>${list("daily", "08:00-17:00")}</recurring></schedule-type></entry></schedule>`;

function answer(rules: readonly string[], wanted: Partial<Wanted>) {
  const rulebase = `<rulebase><security><rules>${rules.join("")}</rules></security></rulebase>`;
  const system = `<vsys><entry name="vsys1">${OBJECTS}${rulebase}</entry></vsys>`;
  const tree = parseXml(`<config><shared/><devices><entry name="localhost.localdomain">${system}</entry></devices></config>`);
  const ends = { from: "a", to: "b", source: "host", destination: undefined };
  const { state, designs } = ask(tree, { ...ends, service: "tcp/443", application: "ssl", ...wanted });
  return { state, first: designs.find(({ proof }) => proof.excess.length === 0)?.summary };
}

const NAMED = { destination: "api.example.org" };

describe("a request for an FQDN", () => {
  it("is denied although a rule for another FQDN may match it, and can be one more member of that rule", () => {
    const found = answer([rule("r", { source: "host", destination: "other" })], NAMED);
    expect(found).toEqual({ state: "denied", first: "add new api.example.org to destination of rule r" });
  });

  it("is denied although a rule allows some addresses, and allowed by a rule for all", () => {
    expect(answer([rule("r", { destination: "host" })], NAMED).state).toBe("denied");
    expect(answer([rule("r", {})], NAMED).state).toBe("allowed");
  });

  it.each([
    ["a schedule of an allow rule", [rule("r", { more: "<schedule>office</schedule>" })]],
    ["the FQDN of a deny rule", [rule("no", { destination: "other", action: "deny" }), rule("r", {})]],
    ["a negated FQDN", [rule("r", { destination: "other", more: "<negate-destination>yes</negate-destination>" })]],
  ])("is conditional because of %s", (_, rules) => {
    expect(answer(rules, NAMED)).toEqual({ state: "conditional", first: undefined });
  });
});

describe("a request for an address", () => {
  it("is conditional if a rule for an FQDN may match it", () => {
    expect(answer([rule("r", { destination: "other" })], { destination: "10.0.0.9" }).state).toBe("conditional");
  });
});

describe("a request for a user", () => {
  it("is denied by a rule for another user, and can be one more member of that rule", () => {
    const found = answer([rule("r", { source: "host", user: "corp\\bob" })], { user: "corp\\alice" });
    expect(found).toEqual({ state: "denied", first: "add corp\\alice to source-user of rule r" });
  });

  it.each(["cn=staff,dc=corp", "contractors"])("is conditional by a rule for the group %s", (user) => {
    expect(answer([rule("r", { user })], { user: "corp\\alice" }).state).toBe("conditional");
  });

  it("does not make a request for every user allowed", () => {
    const found = answer([rule("r", { source: "host", user: "corp\\bob" }), rule("r2", { application: "postgres" })], {});
    expect(found.state).not.toBe("allowed");
    expect(answer([rule("r", {})], { user: "corp\\alice" }).state).toBe("allowed");
  });
});

describe("a request without ports", () => {
  const PING = { service: "icmp", application: "ping" };

  it("can be one more application of a rule on application-default, whatever the services of its applications are", () => {
    const own = { source: "host", service: "application-default" };
    expect(answer([rule("r", { ...own, application: "ssl" })], PING)).toEqual({
      state: "denied",
      first: "add ping to application of rule r",
    });
    expect(answer([rule("r", { ...own, application: "ping" })], PING).state).toBe("allowed");
  });

  it("gets a new rule if the other rules name services", () => {
    expect(answer([rule("r", { source: "host" })], PING).first).toContain("(service application-default)");
  });

  it("is denied by a deny rule on the same default", () => {
    const deny = rule("no", { application: "ping", service: "application-default", action: "deny" });
    const found = answer([deny, rule("r", { application: "ping", service: "any" })], PING);
    expect(found.state).toBe("denied");
  });
});
