import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DOMParser } from "@xmldom/xmldom";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { runCli } from "../../src/cli/program.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { openWorld } from "./world.js";

const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
const HASH = "$5$labsalt1$Yk9vSXJkZ1p0Q2hQ";
const PSK = "-AQ==lTnIPb5kBlwC5bNPhJQxyPyrHJc=9kRy0Y8q";

const live = (addresses: string) => `<config version="10.1.0">
  <mgt-config><users><entry name="admin"><phash>${HASH}</phash></entry></users></mgt-config>
  <shared>
    <address>${addresses}</address>
    <tag><entry name="it's &quot;both&quot;"><color>color1</color></entry></tag>
  </shared>
  <devices><entry name="localhost.localdomain">
    <network><ike><gateway><entry name="branch"><authentication><pre-shared-key><key>${PSK}</key></pre-shared-key></authentication></entry></gateway></ike></network>
    <vsys><entry name="vsys1">
      <address><entry name="srv" admin="mkovacs" time="2026/11/21 03:04:11"><ip-netmask>10.9.0.1</ip-netmask><description>a &lt;b&gt;
second line</description></entry></address>
      <rulebase><security><rules>
        <entry name="r1"><source><member>web</member><member>srv</member></source></entry>
        <entry name="r2"><source><member>any</member></source></entry>
      </rules></security></rulebase>
    </entry></vsys>
  </entry></devices>
</config>`;
const WEB = '<entry name="web"><ip-netmask>10.0.0.1</ip-netmask></entry>';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-get-"));
  mkdirSync(join(folder, "documents"));
  file("one.xml", live(`${WEB}<entry name="db"><ip-netmask>10.0.0.2</ip-netmask></entry>`));
  file("two.xml", live(WEB));
  file(
    "plumbline.yaml",
    `format: 1
owner: netops
documents: [documents]
targets:
  one: { kind: memory, file: one.xml, mode: enforce }
  two: { kind: memory, file: two.xml, mode: enforce }
`,
  );
  file(
    "documents/one.yaml",
    `target: one
scope: shared
config:
  address:
    web: { ip-netmask: 10.0.0.1 }
    new: { ip-netmask: "\${two:/config/shared/address/entry[@name='web']/ip-netmask}" }
`,
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string) => writeFileSync(join(folder, name), text);

async function run(...words: string[]) {
  let [out, err] = ["", ""];
  const code = await runCli(["--no-color", ...words], {
    environment: { HOME: folder, PLUMBLINE_STATE_DIR: join(folder, "state") },
    folder,
    stdout: { write: (text) => (out += text) },
    stderr: { write: (text) => (err += text) },
    now: () => new Date("2026-11-22T08:00:00Z"),
    stop: new AbortController().signal,
  });
  return { code, out, err };
}

const get = (expression: string, ...flags: string[]) => run("get", expression, ...flags);

describe("get as YAML", () => {
  it("consists of documents, one per target and scope", async () => {
    const { code, out, err } = await get("//address/entry");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(parseAllDocuments(out).map((document) => document.toJS())).toEqual([
      { target: "one", scope: "shared", config: { address: { web: { "ip-netmask": "10.0.0.1" }, db: { "ip-netmask": "10.0.0.2" } } } },
      {
        target: "one",
        scope: "vsys1",
        config: { address: { srv: { "ip-netmask": "10.9.0.1", description: "a <b>\nsecond line" } } },
      },
      { target: "two", scope: "shared", config: { address: { web: { "ip-netmask": "10.0.0.1" } } } },
      {
        target: "two",
        scope: "vsys1",
        config: { address: { srv: { "ip-netmask": "10.9.0.1", description: "a <b>\nsecond line" } } },
      },
    ]);
    expect(out).toMatch(/^# live one: \/\/address\/entry\n/);
  });

  it.each(["/", "/config", "//entry", "//*", "//shared | //vsys", "//rules/entry/source", "//key | //phash"])(
    "of %s declares exactly the live configuration",
    async (expression) => {
      const { out } = await get(expression, "--target", "one");
      for (const [index, document] of out.split("---\n").entries()) file(`documents/got-${index}.yaml`, document);
      rmSync(join(folder, "documents/one.yaml"));
      const planned = await run("plan", "--target", "one", "--format", "json");
      expect(planned.err).toBe("");
      const [{ plan }] = JSON.parse(planned.out).targets;
      expect(plan.changes).toEqual([]);
      expect(planned.code).toBe(0);
    },
  );

  it("marks an incomplete entry as partial", async () => {
    const { out } = await get("shared/address/entry[@name='web']/ip-netmask", "one");
    expect(parse(out)).toEqual({
      target: "one",
      scope: "shared",
      config: { address: { web: { $partial: true, "ip-netmask": "10.0.0.1" } } },
    });
  });

  it.each([
    ["//address/entry/@name", ["web", "db", "srv"]],
    ["//rules/entry[1]/source/member", ["web", "srv"]],
    ["//address/entry[2]/ip-netmask/text()", ["10.0.0.2"]],
    ["count(//address/entry)", 3],
    ["string(//tag/entry/@name)", `it's "both"`],
    ["boolean(//nothing)", false],
    ["//rules/entry[source/member = //address/entry/@name]/@name", ["r1"]],
  ])("of %s is the target's name and %j", async (expression, value) => {
    const { code, out } = await get(expression, "one");
    expect(code).toBe(0);
    expect(parse(out)).toEqual({ one: value });
  });
});

describe("get as XML", () => {
  it("is the element if there is only one", async () => {
    const { out } = await get("shared/address/entry[@name='web']", "--target", "one", "--format", "xml");
    expect(out).toBe('<entry name="web">\n  <ip-netmask>10.0.0.1</ip-netmask>\n</entry>\n');
  });

  it("is one well-formed document for any result, with the XPath of each node", async () => {
    const { out } = await get("//address/entry | //address/entry/@name | //description/text()", "--format", "xml");
    const document = new DOMParser().parseFromString(out, "text/xml");
    const results = [...document.getElementsByTagName("result")];
    expect(results.map((result) => result.getAttribute("xpath")?.replace(VSYS, ""))).toEqual([
      "/config/shared/address/entry[@name='web']",
      "/config/shared/address/entry[@name='web']/@name",
      "/config/shared/address/entry[@name='db']",
      "/config/shared/address/entry[@name='db']/@name",
      "/address/entry[@name='srv']",
      "/address/entry[@name='srv']/@name",
      "/address/entry[@name='srv']/description/text()",
      "/config/shared/address/entry[@name='web']",
      "/config/shared/address/entry[@name='web']/@name",
      "/address/entry[@name='srv']",
      "/address/entry[@name='srv']/@name",
      "/address/entry[@name='srv']/description/text()",
    ]);
    expect(results[6]?.textContent).toBe("a <b>\nsecond line");
    expect([...document.getElementsByTagName("target")].map((target) => target.getAttribute("name"))).toEqual(["one", "two"]);
  });

  it("of the complete tree equals the tree, except for secrets", async () => {
    file("one.xml", live(`<entry name="&#13;&#9;&#10;'&quot;&lt;&amp;"><description>&#13; &amp;&lt;]]&gt;</description></entry>`));
    const { out } = await get("/", "--target", "one", "--format", "xml");
    const label = "«stored secret»";
    const whole = live(`<entry name="&#13;&#9;&#10;'&quot;&lt;&amp;"><description>&#13; &amp;&lt;]]&gt;</description></entry>`);
    expect(parseXml(out)).toEqual(parseXml(whole.replace(HASH, label).replace(PSK, label)));
  });

  it("contains values, too", async () => {
    const { out } = await get("count(//rules/entry)", "--target", "two", "--format", "xml");
    expect(new DOMParser().parseFromString(out, "text/xml").getElementsByTagName("result")[0]?.textContent).toBe("2");
  });
});

describe("get as JSON", () => {
  it("contains the XPath of each node, and elements in the form of documents", async () => {
    const { out } = await get("//rules/entry[1] | //tag/entry/@name", "--target", "one", "--format", "json");
    expect(JSON.parse(out)).toEqual({
      format: 1,
      command: "get",
      expression: "//rules/entry[1] | //tag/entry/@name",
      view: "live",
      targets: [
        {
          target: "one",
          results: [
            { xpath: `/config/shared/tag/entry[@name=concat('it', "'", 's "both"')]/@name`, value: `it's "both"` },
            { xpath: `${VSYS}/rulebase/security/rules/entry[@name='r1']`, value: { source: ["web", "srv"] } },
          ],
        },
      ],
    });
  });

  it.each([
    ["count(//rules/entry)", 2],
    ["1 = 1", true],
    ["number('x')", "NaN"],
    ["string(//tag/entry/color)", "color1"],
  ])("of %s is %j", async (expression, value) => {
    const { out } = await get(expression, "--format", "json", "--target", "two");
    expect(JSON.parse(out).targets).toEqual([{ target: "two", results: [{ value }] }]);
  });
});

describe("get", () => {
  it.each(["yaml", "xml", "json"])("never shows a secret as %s", async (format) => {
    for (const expression of ["/", "//key", "//phash/text()", "string(//key)", "//key[contains(., 'lTnIP')]", "//text()"]) {
      const { out, err } = await get(expression, "--format", format);
      expect(out + err).not.toContain(HASH);
      expect(out + err).not.toContain(PSK);
    }
  });

  it("of the desired state needs no network, and no values of other documents", async () => {
    rmSync(join(folder, "one.xml"));
    const { code, out } = await get("//address/entry", "--view", "desired");
    expect(code).toBe(0);
    expect(parse(out)).toEqual({
      target: "one",
      scope: "shared",
      config: {
        address: {
          web: { "ip-netmask": "10.0.0.1" },
          new: { "ip-netmask": "${two:/config/shared/address/entry[@name='web']/ip-netmask}" },
        },
      },
    });
  });

  it("of the desired state stops if a live list would have to be read, and names it", async () => {
    file("documents/one.yaml", "target: one\nscope: shared\nconfig: { address: { web: { ip-netmask: 10.0.0.1 } } }\n");
    file(
      "documents/many.yaml",
      `target: two
scope: shared
config:
  tag:
    - $forEach: { in: one, select: "/config/shared/tag/entry", from: live, name: "\${name}" }
`,
    );
    const { code, out, err } = await get("//entry", "--view", "desired");
    expect(code).toBe(1);
    expect(err).toContain("[reference-later]");
    expect(parse(out).target).toBe("one");
  });

  it("reports an empty result without an error", async () => {
    expect(await get("//nothing")).toEqual({ code: 0, out: "", err: "one: nothing found\ntwo: nothing found\n" });
    expect(JSON.parse((await get("/confg/shared", "--format", "json", "--target", "one")).out).targets).toEqual([
      { target: "one", results: [] },
    ]);
  });

  it("shows the other targets if one cannot be read, and exits 1", async () => {
    rmSync(join(folder, "one.xml"));
    const { code, out, err } = await get("count(//entry)");
    expect(code).toBe(1);
    expect(err).toContain("[memory-file-unreadable]");
    expect(parse(out)).toEqual({ two: 9 });
  });

  it.each([
    ["//address[", "xpath-expression-invalid"],
    ["count(1)", "xpath-expression-invalid"],
  ])("of %s fails with %s", async (expression, code) => {
    const { code: exit, err, out } = await get(expression, "--target", "one");
    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err).toContain(`[${code}]`);
  });

  it("fails for an unknown target in each view", async () => {
    for (const view of ["live", "desired"]) {
      const { code, err } = await get("/", "--target", "three", "--view", view);
      expect(code).toBe(1);
      expect(err).toContain("[target-unknown]");
    }
  });
});

const ASKED = [...readFileSync("docs/investigate.md", "utf8").matchAll(/^\|[^|]+\| `([^`]+)`/gm)].map(([, expression = ""]) => expression);

describe("asking.md", () => {
  it.each(ASKED)("shows %s, which is a valid query", async (expression) => {
    expect(await get(expression)).toMatchObject({ code: 0 });
  });

  it("contains examples", () => {
    expect(ASKED.length).toBeGreaterThan(3);
  });
});

describe("get from a firewall", () => {
  it("reads the place where the expression starts, and distinguishes candidate and running", async () => {
    const world = await openWorld();
    try {
      world.lab.device.act("mkovacs", {
        type: "config",
        action: "set",
        xpath: `${VSYS}/address/entry[@name='night']`,
        element: "<ip-netmask>10.66.0.1</ip-netmask>",
      });
      const expression = `count(${VSYS}/address/entry[@name='night'])`;
      expect((await world.runWords(["get", expression])).out).toContain("edge: 1\n");
      expect((await world.runWords(["get", expression, "--view", "running"])).out).toContain("edge: 0\n");
      const whole = await world.runWords(["get", "//address/entry[@name='night']"]);
      expect(whole).toMatchObject({ code: 0, err: "" });
      expect(whole.out).toContain("night: { ip-netmask: 10.66.0.1 }");
    } finally {
      await world.close();
    }
  });
});
