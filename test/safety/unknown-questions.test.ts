import { describe, expect, it } from "vitest";
import { World } from "../engine/apply/world.js";

// An assertion about flows that the configuration does not describe completely is not known to hold, and not known to be broken.

const member = (text: string): string => `<member>${text}</member>`;

/** A firewall with one rule from office to db. */
function live(application: string, action: "allow" | "deny"): string {
  const lists = { from: "office", to: "db", source: "any", destination: "any", application, service: "any" };
  const fields = Object.entries(lists).map(([tag, text]) => `<${tag}>${member(text)}</${tag}>`);
  return [
    "<config><devices><entry name='localhost.localdomain'><vsys><entry name='vsys1'>",
    "<zone><entry name='office'/><entry name='db'/></zone>",
    "<address><entry name='outside'><fqdn>guest.example.org</fqdn></entry></address>",
    "<address-group><entry name='tagged'><dynamic><filter>'quarantine'</filter></dynamic></entry></address-group>",
    `<rulebase><security><rules><entry name='rule'>${fields.join("")}<action>${action}</action></entry></rules></security></rulebase>`,
    "</entry></vsys></entry></devices><shared></shared></config>",
  ].join("");
}

interface Question {
  readonly application?: string;
  readonly destination?: string;
  readonly service?: string;
  readonly verdict: "allow" | "deny";
  readonly some?: boolean;
}

async function stateOf(
  configuration: string,
  { application, destination, service, verdict, some = false }: Question,
): Promise<string | undefined> {
  const words = [
    "from: [office], to: [db]",
    ...(application === undefined ? [] : [`application: [${application}]`]),
    ...(service === undefined ? [] : [`service: [${service}]`]),
    ...(destination === undefined ? [] : [`destination: [${destination}]`]),
  ];
  const assertion = `  - { name: a, description: what must be true, verdict: ${verdict}, ${some ? "some: true, " : ""}${words.join(", ")} }\n`;
  const world = new World(configuration).want(`target: edge\nscope: vsys1\nassert:\n${assertion}`);
  const outcome = await world.plan();
  expect(outcome.error).toBeUndefined();
  return outcome.assertions?.[0]?.state;
}

describe("an application container", () => {
  it("is not known to be denied if a rule allows one of its applications", async () => {
    expect(await stateOf(live("facebook-base", "allow"), { application: "facebook", verdict: "deny" })).toBe("unknown");
  });

  it("in a rule may contain the application of the question", async () => {
    expect(await stateOf(live("facebook", "allow"), { application: "facebook-base", verdict: "deny" })).toBe("unknown");
  });

  it("is no reason for doubt about other applications", async () => {
    expect(await stateOf(live("facebook-base", "allow"), { application: "ssl", verdict: "deny" })).toBe("holds");
    expect(await stateOf(live("facebook-base", "allow"), { application: "facebook-base", verdict: "deny" })).toBe("broken");
  });
});

describe("an application without ports", () => {
  it("in a rule with service any opens no ports", async () => {
    expect(await stateOf(live("ping", "allow"), { service: "tcp/1-65535", verdict: "deny" })).toBe("holds");
    expect(await stateOf(live("ping", "allow"), { service: "icmp", verdict: "deny" })).toBe("broken");
  });
});

describe("destination NAT", () => {
  /** A firewall that allows office to `allowed`, with a NAT rule that sends `public` to `server`. */
  const translating = (allowed: string, nat: string): string =>
    live("any", "allow")
      .replace("<destination><member>any", `<destination><member>${allowed}`)
      .replace(
        "</address>",
        "<entry name='server'><ip-netmask>10.2.0.5</ip-netmask></entry><entry name='public'><ip-netmask>203.0.113.5</ip-netmask></entry></address>",
      )
      .replace("</rulebase>", `<nat><rules>${nat}</rules></nat></rulebase>`);
  const lists = (from: string, source: string, destination: string): string =>
    `<from>${member(from)}</from><to>${member("db")}</to><source>${member(source)}</source><destination>${member(destination)}</destination><service>any</service>`;
  const inbound = (from: string, port = "") =>
    `<entry name='dnat'>${lists(from, "any", "public")}<destination-translation><translated-address>server</translated-address>${port}</destination-translation></entry>`;
  const bothWays = `<entry name='static'>${lists("db", "server", "any")}<source-translation><static-ip><translated-address>public</translated-address><bi-directional>yes</bi-directional></static-ip></source-translation></entry>`;
  const closed = { destination: "server", verdict: "deny" } as const;

  it.each([
    ["a rule that changes the destination", inbound("office")],
    ["a rule that changes the destination and the port", inbound("any", "<translated-port>8443</translated-port>")],
    ["a source translation in both directions", bothWays],
  ])("is not known to be denied through %s", async (_, nat) => {
    expect(await stateOf(translating("public", nat), closed)).toBe("unknown");
  });

  it("does not matter if the security rules deny the flow or the NAT rule is for another zone", async () => {
    expect(await stateOf(translating("192.0.2.1", inbound("office")), closed)).toBe("holds");
    expect(await stateOf(translating("public", inbound("db")), closed)).toBe("holds");
    expect(await stateOf(translating("public", inbound("office")), { destination: "10.2.0.6", verdict: "deny" })).toBe("holds");
  });
});

describe.each([
  ["an FQDN", "outside"],
  ["a dynamic group", "tagged"],
])("%s in the question", (_, destination) => {
  it("may have no address, so a rule for any destination does not decide the answer", async () => {
    expect(await stateOf(live("any", "allow"), { destination, verdict: "deny" })).toBe("unknown");
    expect(await stateOf(live("any", "allow"), { destination, verdict: "allow", some: true })).toBe("unknown");
  });

  it("is answered if no rule could decide otherwise", async () => {
    expect(await stateOf(live("any", "deny"), { destination, verdict: "deny" })).toBe("holds");
    expect(await stateOf(live("any", "deny"), { destination, verdict: "allow", some: true })).toBe("broken");
  });
});
