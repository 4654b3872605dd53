import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCli } from "../../src/cli/program.js";
import { startLab } from "../../src/lab/lab.js";
import { afterTest } from "../after-test.js";
import { pictureOf } from "./terminal.js";

const COLUMNS = 112;

/** What the picture's commit changes, in files below `net/firewall/vsys1`. */
const CHANGES = [
  ["address.yaml", "    dns-01:", "    mon-01: { ip-netmask: 10.20.0.40, description: monitoring }\n    dns-01:"],
  ["rules/security.yaml", "destination: [net-db]", "destination: [db-01]"],
  ["rules/security.yaml", / {8}- name: migration-2019[\s\S]*?(?= {8}- name: staff)/, ""],
  [
    "rules/security.yaml",
    "        - name: staff-internet",
    [
      "        - name: monitoring",
      "          from: [office]",
      "          to: [db]",
      "          source: [mon-01]",
      "          source-user: [any]",
      "          destination: [db-01]",
      "          application: [postgres]",
      "          service: [tcp-5432]",
      "          category: [any]",
      "          action: allow",
      "        - name: staff-internet",
    ].join("\n"),
  ],
] as const;

/** `npm run pictures` draws it anew. */
it("the README's picture of a plan is what the program shows today", async () => {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-picture-"));
  afterTest(() => rmSync(folder, { recursive: true }));
  const lab = await startLab({ devices: [{ name: "firewall", configFile: "test/fixtures/edge/lab/edge.xml", strict: true }] });
  afterTest(() => lab.close());
  writeFileSync(join(folder, "ca.pem"), lab.caPem);
  let shown = "";
  const run = async (...words: string[]): Promise<number> => {
    shown = "";
    return await runCli(words, {
      environment: {
        HOME: folder,
        PATH: process.env.PATH,
        PLUMBLINE_STATE_DIR: join(folder, "state"),
        PLUMBLINE_TARGET_FIREWALL_URL: lab.device.url,
        PLUMBLINE_TARGET_FIREWALL_CA: join(folder, "ca.pem"),
        PLUMBLINE_USER: "admin",
        PLUMBLINE_PASSWORD: "admin",
        FORCE_COLOR: "1",
      },
      folder: join(folder, "net"),
      stdout: { write: (text: string) => (shown += text) },
      stderr: { write: () => undefined },
      now: () => new Date("2026-11-23T09:00:00Z"),
      stop: new AbortController().signal,
    });
  };
  execFileSync("mkdir", [join(folder, "net")]);
  expect(await run("init", ".", "--xml", join(process.cwd(), "test/fixtures/edge/lab/edge.xml"))).toBe(0);
  expect(await run("adopt", "firewall")).toBe(0);
  for (const [file, from, to] of CHANGES) {
    const path = join(folder, "net/firewall/vsys1", file);
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  }
  const who = ["-c", "user.name=t", "-c", "user.email=t@example.net"];
  execFileSync("git", [...who, "commit", "--quiet", "--all", "--message", "Monitoring"], { cwd: join(folder, "net") });
  expect(await run("plan")).toBe(2);
  await expect(pictureOf(`\u001b[36m$ plumbline plan\u001b[39m\n${shown}`, COLUMNS)).toMatchFileSnapshot("../../docs/pictures/plan.svg");
});
