import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { afterTest } from "../../after-test.js";
import { openWorld } from "../world.js";

const member = (tag: string, ...names: readonly string[]) => `<${tag}>${names.map((each) => `<member>${each}</member>`).join("")}</${tag}>`;
const rule = (name: string, destination: string, action: string) =>
  `<entry name="${name}">${["from", "to", "source", "application", "service"].map((tag) => member(tag, "any")).join("")}${member("destination", destination)}<action>${action}</action></entry>`;
/** A rule that only this one names and that translates nothing. */
const NAT = `<entry name="kept"><from><member>web</member></from><to><member>untrust</member></to><source><member>any</member></source>${member("destination", "out")}<service>any</service></entry>`;
const EDGE = readFileSync("test/fixtures/edge/lab/edge.xml", "utf8")
  .replace(/<security>\s*<rules>/, (found) => `${found}${rule("stop", "blocked", "deny")}${rule("let", "group", "allow")}`)
  .replace(/<nat>\s*<rules>/, (found) => `${found}${NAT}`)
  .replace(
    /<address>/,
    `<address><entry name="api"><fqdn>API.example.org</fqdn></entry><entry name="out"><fqdn>out.example.org</fqdn></entry>`,
  )
  .replace(/<address-group>/, `<address-group><entry name="group">${member("static", "api")}</entry>`)
  .replace(
    /<zone>/,
    `<external-list><entry name="blocked"><type><ip><url>http://lists/blocked</url><recurring><hourly/></recurring></ip></type></entry></external-list>$&`,
  );

async function open(resolves: Readonly<Record<string, readonly string[]>>) {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-look-ups-"));
  afterTest(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "edge.xml");
  writeFileSync(file, EDGE);
  const world = await openWorld(file);
  afterTest(() => world.close());
  const { state } = world.lab.device;
  Object.assign(state.options, { traffic: { resolves } });
  const sent = () => state.journal.flatMap(({ params }) => params.cmd ?? []).filter((cmd) => /fqdn|external-list/.test(cmd)).length;
  const reach = async (destination: string, more = "--from web --to untrust --source web-01") => {
    const { out } = await world.run(`reach edge ${more} --destination ${destination} --service tcp/443 --application ssl --format json`);
    const { targets } = JSON.parse(out) as { targets: { warnings: string[]; rulebases: Rulebase[] }[] };
    const [{ warnings = [], rulebases: [rulebase] = [] } = {}] = targets;
    const answers = (rulebase?.answers ?? rulebase?.ways?.flatMap((way) => way.answers) ?? []).map(
      ({ rule: name, conditions }) => `${name}${conditions.map((each) => ` if ${each}`).join("")}`,
    );
    return { answers, warnings, said: [...(rulebase?.beside ?? []), ...(rulebase?.doubts ?? [])] };
  };
  return { world, reach, sent };
}

interface Answers {
  readonly answers: { readonly rule: string; readonly conditions: readonly string[] }[];
}

interface Rulebase extends Answers {
  readonly ways?: readonly Answers[];
  readonly beside: readonly string[];
  readonly doubts: readonly string[];
}

const BOTH = ["192.0.2.80", "2001:db8::80"];
const LIST = { "http://lists/blocked": ["198.51.100.0/24"] };
const AS_OF = /^As the device has them, as of 20\d\d-\d\d-\d\dT[\d:.]+Z: blocked, API\.example\.org\.$/;

describe("reach, with names and lists that the device resolves", () => {
  it("is certain about current members and other addresses, and shows the time of the data", async () => {
    const { reach } = await open({ "API.example.org": BOTH, ...LIST });
    expect(await reach("192.0.2.80")).toMatchObject({
      ...{ answers: ["let"], warnings: [], said: expect.arrayContaining([expect.stringMatching(AS_OF)]) },
    });
    expect((await reach("198.51.100.9")).answers).toEqual(["stop"]);
    expect((await reach("203.0.113.9")).answers).toEqual([expect.not.stringMatching(/^(let|stop)| if /)]);
  });

  it("shows the same for a flow that is followed as sent", async () => {
    const { reach } = await open({ "API.example.org": BOTH, "out.example.org": ["192.0.2.81", "2001:db8::81"], ...LIST });
    const { answers, said } = await reach("192.0.2.80", "--as-sent --source 10.110.0.11");
    expect(answers).toEqual(["let"]);
    expect(said).toContainEqual(expect.stringMatching(AS_OF));
    expect(said).toContainEqual(expect.stringMatching(/^As the device has them, as of \S+: out\.example\.org\.$/));
  });

  it("is conditional on a name that may have more addresses than the device shows", async () => {
    const many = Array.from({ length: 40 }, (_, at) => `192.0.2.${at + 1}`);
    const { reach } = await open({ "API.example.org": many, ...LIST });
    expect((await reach("192.0.2.7")).answers).toEqual(["let"]);
    expect((await reach("192.0.2.99")).answers[0]).toBe("let if the destination is in API.example.org (FQDN)");
  });

  it("is conditional if the device does not resolve a name, and gives the reason for a list", async () => {
    const { reach } = await open({});
    const { answers, warnings, said } = await reach("192.0.2.80");
    expect(answers.slice(0, 2)).toEqual([
      "stop if the destination is in blocked (external list)",
      "let if the destination is not in blocked (external list), and the destination is in API.example.org (FQDN)",
    ]);
    expect(warnings).toEqual(["What blocked holds is not known: it shows 0 of 0 entries, and omits 0"]);
    expect(said.filter((text) => text.startsWith("As the device"))).toEqual([]);
  });

  it("treats IPv6 that a device shows as unknown accordingly, unless the target is configured otherwise", async () => {
    const { world, reach } = await open({ "API.example.org": ["192.0.2.80"], ...LIST });
    const doubt = (what: string) => `The device shows IPv6 of "API.example.org" as unknown: it is assumed to be ${what} [?].`;
    const { answers, said } = await reach("203.0.113.9");
    expect([answers[0], said]).toEqual(["let if the destination is in API.example.org (FQDN)", expect.arrayContaining([doubt("unknown")])]);
    const settings = join(world.folder, "desired-state/plumbline.yaml");
    writeFileSync(settings, readFileSync(settings, "utf8").replace(/kind: panos/, "$&\n    reading: { missingIpv6: none }"));
    const other = await reach("203.0.113.9");
    expect([other.answers, other.said]).toEqual([[expect.not.stringContaining("let")], expect.arrayContaining([doubt("none")])]);
  });

  it("resolves neither in a plan, in drift nor in lint", async () => {
    const { world, sent } = await open({ "API.example.org": BOTH, ...LIST });
    for (const line of ["plan edge", "drift edge", "lint edge"]) await world.run(line);
    expect(sent()).toBe(0);
  });

  it("works without them if the device does not support the requests", async () => {
    const { world, reach } = await open({ "API.example.org": BOTH, ...LIST });
    Object.assign(world.lab.device.state.capabilities, { extras: false });
    const { answers, warnings } = await reach("192.0.2.80");
    expect(answers[0]).toBe("stop if the destination is in blocked (external list)");
    expect(warnings).toEqual([expect.stringContaining("What FQDNs hold is not known: "), expect.stringContaining("What blocked holds is")]);
  });
});
