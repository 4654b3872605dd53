import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Context } from "../../src/cli/context.js";
import { runCli } from "../../src/cli/program.js";
import { type RunningLab, startLab } from "../../src/lab/lab.js";

/** Firewalls of three sites, twenty each. Their desired state is in six documents. */
const SITES = ["zurich", "bern", "basel"];
const FIREWALLS = 60;
const names = Array.from({ length: FIREWALLS }, (_, index) => `fw-${index + 1}`);
const siteOf = (index: number) => SITES[index % SITES.length] ?? "";

const folder = mkdtempSync(join(tmpdir(), "plumbline-fleet-"));
let lab: RunningLab;

beforeAll(async () => {
  lab = await startLab({ devices: names.map((name) => ({ name, jobDuration: 0, strict: true })) });
  const rows = names.map((name, index) => {
    const url = lab.devices[index]?.url ?? "";
    const login = `credentials: { username: admin, password: "\${env:PASSWORD}" }, tls: { ca: ca.pem }, mode: enforce`;
    return `  ${name}: { kind: panos, url: "${url}", ${login}, labels: { site: ${siteOf(index)} } }`;
  });
  const groups = SITES.map(
    (site, index) => `  ${site}: { labels: { site: ${site} }, values: { net: 10.${index + 1}.0.0/16, ntp: [10.${index + 1}.0.123] } }`,
  );
  const head = [
    "format: 1",
    "owner: netops",
    "documents: [all, sites, one]",
    "values:",
    "  net: { type: network }",
    "  ntp: { type: address, list: true }",
  ];
  write(
    "plumbline.yaml",
    [...head, "groups:", ...groups, "targets:", ...rows, `guards: { from: 1000, targets: ${FIREWALLS} }`, ""].join("\n"),
  );
  write("ca.pem", lab.caPem);
  write(
    "all/objects.yaml",
    `targets: all
scope: vsys1
config:
  address:
    site-net: { ip-netmask: "\${value:net}", description: made for every site }
    everywhere: { ip-netmask: 192.0.2.1 }
  tag: { stays: { comments: everywhere } }
`,
  );
  write("all/tags.yaml", "targets: all\nscope: vsys1\nconfig: { tag: { fleet: { comments: ours } } }\n");
  for (const site of SITES)
    write(
      `sites/${site}.yaml`,
      `targets: { labels: { site: ${site} } }\nscope: vsys1\nconfig: { address: { ${site}: { ip-netmask: "\${value:net}", tag: [fleet] } } }\n`,
    );
  write("one/fw-7.yaml", "target: fw-7\nscope: vsys1\nconfig: { address: { everywhere: { description: not like the others } } }\n");
  git("init", "-q");
  commit();
}, 120_000);

afterAll(async () => {
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function change(file: string, from: string, to: string): void {
  const text = readFileSync(join(folder, file), "utf8");
  expect(text).toContain(from);
  write(file, text.replace(from, to));
  commit();
}

function git(...words: string[]): void {
  execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words]);
}

function commit(): void {
  git("add", "-A");
  git("commit", "-q", "-m", "change");
}

async function run(...words: string[]): Promise<{ readonly code: number; readonly out: string }> {
  let out = "";
  let err = "";
  const context: Context = {
    environment: { HOME: folder, PATH: process.env.PATH, PLUMBLINE_STATE_DIR: `${folder}-state`, PASSWORD: "admin", NO_COLOR: "1" },
    folder,
    stdin: undefined,
    stdout: { isTTY: false, write: (text) => (out += text) },
    stderr: { isTTY: false, write: (text) => (err += text) },
    now: () => new Date(),
    stop: new AbortController().signal,
  };
  const code = await runCli(words, context);
  return { code, out: `${out}${code === 0 || code === 2 ? "" : err}` };
}

/** Titles of the blocks of a report. */
const titles = (text: string) =>
  text
    .split("\n\n")
    .map((block) => block.split("\n")[0] ?? "")
    .filter((line) => /^fw-/.test(line));

describe("a fleet of sixty firewalls in six documents", () => {
  it("is planned once for equal targets, reconciled, changed, given exceptions and explained", async () => {
    const first = await run("plan");
    expect(first.code, first.out.slice(0, 3000)).toBe(2);
    // Each site has its own network, and one firewall its own document.
    expect(titles(first.out)).toEqual([
      expect.stringMatching(/^fw-1, fw-4, fw-10, fw-13, fw-16, fw-19 and 13 more: 19 targets {2}4 to create$/),
      expect.stringMatching(/^fw-2, .* and 14 more: 20 targets {2}4 to create$/),
      expect.stringMatching(/^fw-3, .* and 14 more: 20 targets {2}4 to create$/),
      expect.stringMatching(/^fw-7 .*4 to create$/),
    ]);
    expect(await run("reconcile", "--yes")).toMatchObject({ code: 0 });

    change("all/objects.yaml", "192.0.2.1", "192.0.2.2");
    change("all/tags.yaml", "targets: all", "targets: { except: fw-9, kind: panos }");
    const changed = await run("plan");
    expect(titles(changed.out)).toEqual([
      expect.stringMatching(/^fw-1, fw-2, .* and 53 more: 59 targets {2}1 to change$/),
      // The document of Basel still names the tag, which is no longer created there.
      expect.stringMatching(/^fw-9 .*refused: /),
    ]);
    expect(changed.out.match(/192\.0\.2\.2/g)).toHaveLength(2);
    change("sites/basel.yaml", ", tag: [fleet]", "");
    expect(await run("reconcile", "--yes")).toMatchObject({ code: 0 });
    expect(titles((await run("plan")).out)).toEqual([expect.stringMatching(/^fw-1, .* and 54 more: 60 targets {2}no changes$/)]);
    expect(lab.devices.filter(({ state }) => state.violations.length > 0)).toEqual([]);

    const explained = await run(
      "explain",
      "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='site-net']/ip-netmask",
      "--target",
      "fw-5",
    );
    expect(explained.out).toContain("all/objects.yaml:5");
    expect(explained.out).toMatch(/\$\{value:net\} of group bern \(plumbline\.yaml:\d+\)/);
  }, 900_000);
});
