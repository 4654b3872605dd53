import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { DeviceOptions } from "../../src/lab/panos/options.js";
import { type RunningDevice, type RunningLab, startLab } from "../../src/lab/panos/start.js";
import { startPostgres, type TestPostgres } from "../agent/store/postgres.js";
import { addresses } from "../agent/world.js";
import { check, type Expected } from "./checker.js";

const AGENT = fileURLToPath(new URL("agent.mjs", import.meta.url));
const MEMORY = "/dev/shm";
const RUNNING = `<config version="11.1.0"><mgt-config><users><entry name="netops"/></users></mgt-config><shared/><devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>fw</hostname></system></deviceconfig><vsys><entry name="vsys1"><address><entry name="theirs"><ip-netmask>192.0.2.9</ip-netmask></entry></address></entry></vsys></entry></devices></config>`;

export interface ScaleOptions {
  readonly targets: number;
  /** Milliseconds. */
  readonly lease?: number;
  readonly driftInterval?: number;
  /** Seconds that a request to a device may take. */
  readonly timeout?: number;
  /** Address that labs listen at. */
  readonly host?: string;
  /** Milliseconds that a commit takes. */
  readonly jobDuration?: number;
  readonly other?: OtherWorld;
}

/** Devices, documents and their checks, instead of firewalls with addresses. */
export interface OtherWorld {
  /** The first one is the only target. */
  readonly devices: readonly DeviceOptions[];
  /** Additional keys of the target in plumbline.yaml, as flow-style YAML. */
  readonly target: string;
  documents(entries: Readonly<Record<string, string>>): string;
  isAsWanted(lab: RunningLab, entries: Readonly<Record<string, string>>): boolean;
}

export interface AgentProcess {
  readonly child: ChildProcess;
  readonly lines: string[];
  /** Resolves at the first matching line, past or future. */
  said(fits: (line: string) => boolean): Promise<string>;
}

/** A repository, lab firewalls, a PostgreSQL, and as many agents in processes of their own as a test wants. */
export class ScaleWorld {
  readonly folder = mkdtempSync(join(existsSync(MEMORY) ? MEMORY : tmpdir(), "scale-world-"));
  readonly names: readonly string[];
  readonly lab: RunningLab;
  readonly postgres: TestPostgres;
  readonly url: string;
  readonly lease: number;
  readonly #options: ScaleOptions;
  readonly #agents = new Set<AgentProcess>();
  readonly #wanted: Expected = { commits: [], addresses: {} };
  #started = 0;

  private constructor(lab: RunningLab, postgres: TestPostgres, url: string, options: ScaleOptions) {
    this.lab = lab;
    this.postgres = postgres;
    this.url = url;
    this.#options = options;
    this.lease = options.lease ?? 1500;
    const { other } = options;
    this.names = lab.devices.slice(0, other === undefined ? undefined : 1).map(({ name }) => name);
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", this.remote]);
    execFileSync("git", ["clone", "--quiet", this.remote, this.#work], { stdio: "ignore" });
    this.#git("checkout", "--quiet", "-B", "main");
    this.#configure();
    this.want({ a: "10.0.0.1" });
  }

  static async start(options: ScaleOptions): Promise<ScaleWorld> {
    const administrators = ["netops", "alice"].map((name) => ({ name, password: "secret", role: { kind: "superuser" } as const }));
    const other = options.other?.devices.map((each, at) => ({ ...each, ...(at === 0 ? { administrators, plainHttp: true } : {}) }));
    const firewalls = Array.from({ length: other === undefined ? options.targets : 0 }, (_, index) => ({
      name: `fw${index}`,
      config: RUNNING,
      administrators,
      plainHttp: true,
      strict: true,
      jobDuration: options.jobDuration ?? 20,
    }));
    const devices: readonly DeviceOptions[] = other ?? firewalls;
    const lab = await startLab({ devices, ...(options.host === undefined ? {} : { host: options.host }) });
    const postgres = await startPostgres();
    return new ScaleWorld(lab, postgres, await postgres.createDatabase(), options);
  }

  get remote(): string {
    return join(this.folder, "origin.git");
  }

  get #work(): string {
    return join(this.folder, "work");
  }

  /** Wants these addresses on every target, and pushes it. */
  want(entries: Readonly<Record<string, string>>): string {
    for (const name of this.names) this.#write(`${name}/objects.yaml`, this.#options.other?.documents(entries) ?? addresses(name, entries));
    this.#git("add", ".");
    this.#git("commit", "--quiet", "--allow-empty", "-m", "wanted");
    this.#git("push", "--quiet", "origin", "HEAD:main");
    const commit = this.#git("rev-parse", "HEAD");
    this.#wanted.commits.push(commit);
    this.#wanted.addresses = { ...entries };
    return commit;
  }

  /** @param options `prefix`: a command that starts the agent, such as `ip netns exec` */
  startAgent({ offset = 0, database = this.url, prefix = [] as readonly string[] } = {}): AgentProcess {
    const stateFolder = join(this.folder, `agent${this.#started++}`);
    mkdirSync(stateFolder);
    const facts = {
      database,
      remote: this.remote,
      stateFolder,
      lease: this.lease,
      driftInterval: this.#options.driftInterval ?? 3000,
      offset,
    };
    const [command = "", ...words] = [...prefix, process.execPath, AGENT, JSON.stringify(facts)];
    const child = spawn(command, words, { stdio: ["ignore", "pipe", "inherit"] });
    const lines: string[] = [];
    const wake: (() => void)[] = [];
    let rest = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts);
      for (const each of wake.splice(0)) each();
    });
    child.once("exit", () => {
      for (const each of wake.splice(0)) each();
    });
    const said = async (fits: (line: string) => boolean): Promise<string> => {
      for (let at = 0; ; at++) {
        while (at >= lines.length) {
          if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the agent is gone: ${lines.slice(-5).join("; ")}`);
          await new Promise<void>((done) => wake.push(done));
        }
        const line = lines[at] ?? "";
        if (fits(line)) return line;
      }
    };
    const agent = { child, lines, said };
    this.#agents.add(agent);
    return agent;
  }

  async kill(agent: AgentProcess): Promise<void> {
    this.#agents.delete(agent);
    if (agent.child.exitCode !== null || agent.child.signalCode !== null) return;
    const gone = once(agent.child, "exit");
    agent.child.kill("SIGKILL");
    await gone;
  }

  device(name: string): RunningDevice {
    const device = this.lab.devices.find((each) => each.name === name);
    if (device === undefined) throw new Error(`no device ${name}`);
    return device;
  }

  /** Waits until every target matches the documents and no lock is held. Returns the duration. */
  async converged(within: number): Promise<number> {
    const began = performance.now();
    for (;;) {
      const { other } = this.#options;
      const isOther = other?.isAsWanted(this.lab, this.#wanted.addresses);
      const left = this.lab.devices.filter((device) => !(isOther ?? check.isAsWanted(device, this.#wanted)));
      if (left.length === 0) return performance.now() - began;
      if (performance.now() - began > within) {
        const words = left.map((device) => `${device.name}: ${check.stateOf(device)}`).join("\n");
        const said = [...this.#agents].map(({ lines }) => lines.slice(-8).join("; ")).join("\n");
        throw new Error(`not as wanted after ${within} ms:\n${words}\nagents said:\n${said}\n${await this.#leases()}`);
      }
      await turn();
    }
  }

  /** Checks the labs' journals. */
  check(): void {
    for (const device of this.lab.devices) check.journal(device, this.#wanted);
  }

  async query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
    const client = new pg.Client(this.url);
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) await this.kill(agent);
    await this.lab.close();
    await this.postgres.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #leases(): Promise<string> {
    const rows = await this.query(
      "select target, holder, fence, pending, free - (extract(epoch from now()) * 1000)::bigint as free from leases",
    );
    const jobs = await this.query("select key, run_at - now() as wait, locked_by, attempts from graphile_worker.jobs");
    return [...rows, ...jobs].map((row) => JSON.stringify(row)).join("\n");
  }

  #git(...words: string[]): string {
    const identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"];
    return execFileSync("git", ["-C", this.#work, ...identity, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  #write(file: string, text: string): void {
    mkdirSync(dirname(join(this.#work, file)), { recursive: true });
    writeFileSync(join(this.#work, file), text);
  }

  #configure(): void {
    const timeout = this.#options.timeout ?? 1;
    // By any other address of this machine, and only a version that requires the password knows it.
    const inTheClear = this.#options.host === undefined ? "" : ", tls: { plaintext: true }";
    const more = this.#options.other === undefined ? "" : `, ${this.#options.other.target}`;
    const targets = this.lab.devices.filter(({ name }) => this.names.includes(name));
    const rows = targets.map(
      ({ name, plainUrl }) =>
        `  ${name}: { kind: panos, url: "${plainUrl}", timeout: ${timeout}, credentials: { username: netops, password: "\${env:PW}" }, mode: enforce${more}${inTheClear} }`,
    );
    const guards = "guards: { updates: 100%, deletes: 100%, from: 10, short: 100%, emptyList: allow }";
    this.#write(
      "plumbline.yaml",
      [
        "format: 1",
        "owner: netops",
        `documents: [${this.names.join(", ")}]`,
        "targets:",
        ...rows,
        guards,
        "agent: { source: { interval: 1s } }",
        "",
      ].join("\n"),
    );
  }
}

/** Lets the labs of this process answer. */
async function turn(): Promise<void> {
  await new Promise((done) => setTimeout(done, 50));
}
