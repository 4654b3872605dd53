import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { startLab } from "../../src/lab/lab.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-import-file-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Written manually: a comment, a name with both quotes, text beyond ASCII in CDATA, and a duplicate entry. */
const FILE = `<?xml version="1.0" encoding="UTF-8"?>
<!-- exported, then edited -->
<response status="success"><result><config version="11.1.0" urldb="paloaltonetworks" detail-version="11.1.4">
  <shared>
    <tag>
      <entry name='the "old" one'><comments><![CDATA[für Köln & <Bonn>]]></comments></entry>
      <entry name="twice"><color>color1</color></entry>
      <!-- again -->
      <entry name="twice"><color>color2</color><comments>it's</comments></entry>
    </tag>
  </shared>
  <devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>fw</hostname></system></deviceconfig></entry></devices>
</config></result></response>`;

async function run(line: string, url = "", ca = ""): Promise<{ code: number; out: string; err: string }> {
  let out = "";
  let err = "";
  const code = await runCli(line.split(" "), {
    environment: {
      HOME: folder,
      PLUMBLINE_STATE_DIR: join(folder, "state"),
      PLUMBLINE_TARGET_FIREWALL_URL: url,
      PLUMBLINE_TARGET_FIREWALL_CA: ca,
      PLUMBLINE_USER: "admin",
      PLUMBLINE_PASSWORD: "admin",
    },
    folder,
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    now: () => new Date(),
    stop: new AbortController().signal,
  });
  return { code, out, err };
}

describe("an unfilled template", () => {
  it("is not a configuration, and nothing is written", async () => {
    const text = "<system><hostname>{{ NAME }}</hostname>{% if STATIC %}<ip-address>192.0.2.1</ip-address>{% endif %}</system>";
    writeFileSync(
      join(folder, "device.xml"),
      `<config><devices><entry name="localhost.localdomain"><deviceconfig>${text}</deviceconfig></entry></devices></config>`,
    );
    const { code, err } = await run("import --xml device.xml --out state-of");
    expect(code).toBe(1);
    expect(err).toContain("import-not-a-configuration");
    expect(err).toContain("/config/devices/entry[@name='localhost.localdomain']/deviceconfig/system");
    expect(existsSync(join(folder, "state-of"))).toBe(false);
  });
});

describe("an exported file whose rules depend on applications of the device", () => {
  const HINT = "applications.yaml is missing";
  const rule = (application: string, service: string): string => {
    const any = ["from", "to", "source", "destination"].map((tag) => `<${tag}><member>any</member></${tag}>`).join("");
    const content = `${any}<application><member>${application}</member></application><service><member>${service}</member></service><action>allow</action>`;
    const rules = `<rulebase><security><rules><entry name="r">${content}</entry></rules></security></rulebase>`;
    return `<config version="11.1.0"><devices><entry name="localhost.localdomain"><vsys><entry name="vsys1">${rules}</entry></vsys></entry></devices></config>`;
  };

  it.each([
    ["dns", "application-default", true],
    ["any", "service-https", false],
  ])("is imported with one line about the missing document, if needed: %s, %s", async (application, service, isNeeded) => {
    writeFileSync(join(folder, "device.xml"), rule(application, service));
    const { code, out } = await run("import --xml device.xml --out state-of");
    expect([code, out.split("\n").filter((line) => line.includes(HINT)).length]).toEqual([0, isNeeded ? 1 : 0]);
  });

  it("is imported without the line if the document exists", async () => {
    writeFileSync(join(folder, "device.xml"), rule("dns", "application-default"));
    await run("import --xml device.xml --out state-of");
    const known = "applications:\n  content: 8799-8509\n  read: 2026-11-28\n  known:\n    dns: [tcp/53, udp/53]\n";
    writeFileSync(join(folder, "state-of/firewall/applications.yaml"), `target: firewall\nscope: shared\n${known}`);
    const { code, out } = await run("import --xml device.xml --out state-of");
    expect([code, out.includes(HINT)]).toEqual([0, false]);
  });
});

describe("a manually edited file", () => {
  it("is imported as a device would load it, reports duplicates, and equals a lab of that file", async () => {
    writeFileSync(join(folder, "device.xml"), FILE);
    const imported = await run("import --xml device.xml --out state-of");
    expect(imported.code).toBe(0);
    expect(imported.err).toContain("duplicate entries were merged");
    expect(imported.err).toContain("/config/shared/tag/entry[@name='twice']");
    const text = readFileSync(join(folder, "state-of/firewall/shared/tag.yaml"), "utf8");
    expect(text).not.toContain("$xml");
    expect(text).toContain("twice: { color: color2, comments: it's }");
    expect(text).toContain("für Köln & <Bonn>");
    const lab = await startLab({ devices: [{ configFile: join(folder, "device.xml") }] });
    writeFileSync(join(folder, "ca.pem"), lab.caPem);
    const plan = await run("plan --config state-of/plumbline.yaml", lab.device.url, join(folder, "ca.pem"));
    expect(plan, plan.out + plan.err).toMatchObject({ code: 0 });
    await lab.close();
  });
});
