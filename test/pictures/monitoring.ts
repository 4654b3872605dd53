import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../../src/cli/program.js";
import { startLab } from "../../src/lab/lab.js";
import { afterTest } from "../after-test.js";

/** Changes of the commit in the pictures, in files below `net/firewall/vsys1`. */
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

interface PicturedRun {
  readonly folder: string;
  /** Runs a command in the repository. */
  run(...words: string[]): Promise<{ readonly code: number; readonly shown: string }>;
}

/** A lab firewall, the repository that `init` created from it, and a commit that allows monitoring. Deleted after the test. */
export async function monitoring(
  more: Readonly<Record<string, string>> = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<PicturedRun> {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-picture-"));
  afterTest(() => rmSync(folder, { recursive: true }));
  const lab = await startLab({ devices: [{ name: "firewall", configFile: "test/fixtures/edge/lab/edge.xml", strict: true }] });
  afterTest(() => lab.close());
  writeFileSync(join(folder, "ca.pem"), lab.caPem);
  const run = async (...words: string[]) => {
    let shown = "";
    const code = await runCli(words, {
      environment: {
        HOME: folder,
        PATH: process.env.PATH,
        PLUMBLINE_STATE_DIR: join(folder, "state"),
        PLUMBLINE_TARGET_FIREWALL_URL: lab.device.url,
        PLUMBLINE_TARGET_FIREWALL_CA: join(folder, "ca.pem"),
        PLUMBLINE_USER: "admin",
        PLUMBLINE_PASSWORD: "admin",
        FORCE_COLOR: "1",
        ...environment,
      },
      folder: join(folder, "net"),
      stdout: { write: (text: string) => (shown += text) },
      stderr: { write: () => undefined },
      now: () => new Date("2026-11-23T09:00:00Z"),
      stop: new AbortController().signal,
    });
    return { code, shown };
  };
  const done = async (...words: string[]): Promise<void> => {
    const { code, shown } = await run(...words);
    if (code !== 0) throw new Error(shown);
  };
  mkdirSync(join(folder, "net"));
  await done("init", ".", "--xml", join(process.cwd(), "test/fixtures/edge/lab/edge.xml"));
  await done("adopt", "firewall");
  for (const [file, text] of Object.entries(more)) writeFileSync(join(folder, "net/firewall/vsys1", file), text);
  for (const [file, from, to] of CHANGES) {
    const path = join(folder, "net/firewall/vsys1", file);
    writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
  }
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.net", ...words], { cwd: join(folder, "net") });
  git("add", "--all");
  git("commit", "--quiet", "--message", "Monitoring");
  return { folder, run };
}
