import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runCli } from "../../src/cli/program.js";
import { type RunningLab, type RunningVerdictLab, startLab, startVerdictLab } from "../../src/lab/lab.js";
import { type RunningOpenstackLab, startOpenstackLab } from "../../src/lab/openstack/start.js";
import { afterTest } from "../after-test.js";
import { confirmed } from "../confirmed.js";
import type { Run } from "./world.js";

const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";

/** A cloud and a firewall that follows it, a repository that speaks of both, and its remote: the command line between them. */
export class DataCentre {
  readonly folder = mkdtempSync(join(tmpdir(), "plumbline-centre-"));
  readonly firewall: RunningLab;
  readonly cloud: RunningOpenstackLab;
  readonly verdicts: RunningVerdictLab;
  /** The clone that runs are made from. */
  checkout = join(this.folder, "first");
  #state = "state";
  #clones = 0;
  environment: Record<string, string> = {};

  private constructor(firewall: RunningLab, cloud: RunningOpenstackLab, verdicts: RunningVerdictLab) {
    this.firewall = firewall;
    this.cloud = cloud;
    this.verdicts = verdicts;
    execFileSync("git", ["init", "-q", "--bare", "-b", "main", this.remote]);
    execFileSync("git", ["clone", "-q", this.remote, this.checkout], { stdio: "ignore" });
    this.file(
      "plumbline.yaml",
      `format: 1
owner: netops
documents: [documents]
guards: { from: 1000, short: 100%, emptyList: allow }
targets:
  cloud: { kind: openstack, url: "${cloud.authUrl}", project: { name: demo, domain: Default }, credentials: { username: "\${env:CLOUD_USER}", userDomain: Default, password: "\${env:CLOUD_PASSWORD}" }, mode: enforce }
  edge: { kind: panos, url: "${firewall.device.url}", tls: { ca: ca.pem }, credentials: { username: plumbline, password: "\${env:PASSWORD}" }, mode: enforce }
`,
    ).file("ca.pem", firewall.caPem);
  }

  static async start(): Promise<DataCentre> {
    const configFile = "test/fixtures/edge/lab/edge.xml";
    const world = new DataCentre(
      await startLab({ devices: [{ name: "edge", configFile, jobDuration: 0, strict: true }] }),
      await startOpenstackLab({ ports: "free", compute: { buildDuration: 0, deleteDuration: 0 } }),
      await startVerdictLab({ plainHttp: true }),
    );
    afterTest(() => world.close());
    return world;
  }

  get remote(): string {
    return join(this.folder, "remote.git");
  }

  git(...words: string[]): string {
    const who = ["-c", "user.name=t", "-c", "user.email=t@example.net"];
    return execFileSync("git", ["-C", this.checkout, ...who, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  file(name: string, text: string): this {
    const path = join(this.checkout, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return this;
  }

  remove(name: string): this {
    rmSync(join(this.checkout, name));
    return this;
  }

  /** Records all of the checkout, and hands it to the remote. */
  push(...words: string[]): this {
    this.git("add", "-A");
    this.git("commit", "-q", "--allow-empty", "-m", "change");
    this.git("push", "-q", ...words, "origin", "HEAD:main");
    return this;
  }

  /** From now on runs are made from a new shallow clone of the remote, on an empty state folder. */
  cloneAnew(): this {
    this.checkout = join(this.folder, `clone-${++this.#clones}`);
    this.#state = `state-${this.#clones}`;
    execFileSync("git", ["clone", "-q", "--depth", "1", `file://${this.remote}`, this.checkout], { stdio: "ignore" });
    return this;
  }

  async run(line: string): Promise<Run> {
    let out = "";
    let err = "";
    const code = await runCli([...confirmed(line.split(" ")), "--no-color"], {
      environment: {
        HOME: this.folder,
        PATH: process.env.PATH,
        PLUMBLINE_STATE_DIR: join(this.folder, this.#state),
        PLUMBLINE_VERDICT_URL: this.verdicts.plainUrl ?? "",
        PLUMBLINE_VERDICT_KEY: "lab-verdict-key",
        CLOUD_USER: "demo",
        CLOUD_PASSWORD: "secret",
        PASSWORD: "plumbline",
        ...this.environment,
      },
      folder: this.checkout,
      stdout: { write: (text) => (out += text) },
      stderr: { write: (text) => (err += text) },
      now: () => new Date(),
      stop: new AbortController().signal,
    });
    return { code, out, err };
  }

  /** Names of all networks in the project, including those of others. */
  get networks(): string[] {
    return this.cloud.world.network
      .visible("network", this.cloud.world.as("demo"))
      .map(({ name }) => name)
      .sort();
  }

  /** The running configuration of `vsys1` on the firewall, or of its part at `path`, as XML without audit attributes. */
  running(path?: string): string {
    const xpath = path === undefined ? VSYS : `${VSYS}/${path}`;
    return this.firewall.device.act("admin", { type: "config", action: "show", xpath }).xml.replace(/ (admin|time|dirtyId)="[^"]*"/g, "");
  }

  /** Commits of the firewall so far. */
  get commits(): number {
    return this.firewall.device.state.commits.length;
  }

  /** A request to the cloud by another user. */
  act(method: string, path: string, body?: object, service: "network" | "compute" = "network"): Record<string, { readonly id: string }> {
    const { text } = this.cloud.act({ service, method, path, user: "demo", ...(body === undefined ? {} : { body: body as never }) });
    return text === "" ? {} : JSON.parse(text);
  }

  async close(): Promise<void> {
    await Promise.all([this.firewall.close(), this.cloud.close(), this.verdicts.close()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
