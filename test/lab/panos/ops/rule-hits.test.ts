import { describe, expect, it } from "vitest";
import { admin, type Client, find, RULES } from "../support.js";

const WEB = { from: "untrust", to: "trust", source: "203.0.113.9", destination: "10.0.0.10", application: "web-browsing", port: 80 };
const any = (tag: string) => `<${tag}><member>any</member></${tag}>`;
const DENY = `${["from", "to", "source", "destination", "application", "service"].map(any).join("")}<action>deny</action>`;
const asked = (verb: string, rules = "<all/>", vsys = "vsys1") =>
  `<${verb}><rule-hit-count><vsys><vsys-name><entry name="${vsys}"><rule-base><entry name="security"><rules>${rules}</rules></entry></rule-base></entry></vsys-name></vsys></rule-hit-count></${verb}>`;

async function hits(client: Client, rules?: string): Promise<Record<string, Record<string, string>>> {
  const reply = await client.op(asked("show", rules));
  const list = find(reply.root, "result", "rule-hit-count", "vsys", "entry", "rule-base", "entry", "rules");
  return Object.fromEntries(
    (list?.children ?? []).map(({ name, children }) => [name, Object.fromEntries(children.map(({ tag, text }) => [tag, text]))]),
  );
}

describe("counters of rules", () => {
  it("count the decisions of each rule, in seconds since 1970", async () => {
    const { client, clock } = await admin({ traffic: { flows: [{ ...WEB, every: 60_000 }] } });
    clock.advance(60_000);
    const counted = await hits(client);
    const at = Date.UTC(2026, 0, 5, 8) / 1000;
    expect(counted["allow-web"]).toMatchObject({
      ...{ "hit-count": "2", "first-hit-timestamp": `${at}`, "last-hit-timestamp": `${at + 60}`, "last-reset-timestamp": "0" },
    });
    expect(counted["interzone-default"]).toMatchObject({ "hit-count": "0", "last-hit-timestamp": "0" });
    expect(Object.keys(await hits(client, "<list><member>allow-web</member></list>"))).toEqual(["allow-web"]);
  });

  it("restart when they are cleared, and with a new rule", async () => {
    const { client, clock } = await admin({ traffic: { flows: [{ ...WEB, every: 60_000 }] } });
    clock.advance(60_000);
    await client.op(asked("clear"));
    const now = Math.floor(clock.now() / 1000);
    expect((await hits(client))["allow-web"]).toMatchObject({ "hit-count": "0", "last-reset-timestamp": `${now}` });
    await client.config("set", `${RULES}/entry[@name='later']`, DENY);
    expect(Object.keys(await hits(client))).not.toContain("later");
    clock.advance(5000);
    await client.commit();
    clock.advance(5000);
    expect(Number((await hits(client)).later?.["rule-creation-timestamp"])).toBeGreaterThanOrEqual(now + 5);
  });

  it("are refused for a missing virtual system", async () => {
    const { client } = await admin();
    expect((await client.op(asked("show", "<all/>", "vsys9"))).root.attributes?.get("status")).toBe("error");
  });
});
