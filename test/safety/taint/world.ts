import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCli } from "../../../src/cli/program.js";
import { type RunningContrailLab, startContrailLab } from "../../../src/lab/contrail/start.js";
import { type RunningOpenstackLab, startOpenstackLab } from "../../../src/lab/openstack/start.js";
import { type RunningLab, startLab } from "../../../src/lab/panos/start.js";
import { afterTest } from "../../after-test.js";
import { SmtpServer } from "../../agent/notify/smtp-server.js";
import { confirmed } from "../../confirmed.js";
import type { Canaries } from "./canaries.js";

const RUNNING = `<config version="11.1.0"><mgt-config><users><entry name="netops"/></users></mgt-config><shared/><devices><entry name="localhost.localdomain"><deviceconfig><system><hostname>fw</hostname></system></deviceconfig><vsys><entry name="vsys1"><address><entry name="theirs"><ip-netmask>192.0.2.9</ip-netmask></entry></address><zone><entry name="trust"><network><layer3/></network></entry></zone></entry></vsys></entry></devices></config>`;
export const ADDRESS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address";

interface Parts {
  readonly firewall: RunningLab;
  readonly cloud: RunningOpenstackLab;
  readonly controller: RunningContrailLab;
  readonly mail: SmtpServer;
  readonly receiver: Server;
}

/** A desired state in which every secret is a canary, the services that it uses, and a record of all output. */
export class TaintWorld {
  readonly folder = mkdtempSync(join(tmpdir(), "plumbline-taint-"));
  readonly repository = join(this.folder, "work", "repository");
  /** The recorded output, by source. */
  readonly said = new Map<string, string>();
  readonly #canaries: Canaries;
  readonly #firewall: RunningLab;
  readonly #cloud: RunningOpenstackLab;
  readonly #controller: RunningContrailLab;
  readonly #mail: SmtpServer;
  readonly #receiver: Server;
  #status = 200;

  private constructor(canaries: Canaries, parts: Parts) {
    this.#canaries = canaries;
    this.#firewall = parts.firewall;
    this.#cloud = parts.cloud;
    this.#controller = parts.controller;
    this.#mail = parts.mail;
    this.#receiver = parts.receiver;
    afterTest(async () => {
      await Promise.all([this.#firewall.close(), this.#cloud.close(), this.#controller.close(), this.#mail.close()]);
      this.#receiver.closeAllConnections();
      await new Promise((closed) => this.#receiver.close(closed));
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  static async start(canaries: Canaries): Promise<TaintWorld> {
    const password = canaries.of("the firewall's password");
    const administrators = ["netops", "alice"].map((name) => ({ name, password, role: { kind: "superuser" } as const }));
    const device = { name: "edge", config: RUNNING, administrators, plainHttp: true, jobDuration: 0 };
    let world: TaintWorld | undefined;
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => world?.received(request.url ?? "", Buffer.concat(chunks).toString(), response));
    });
    await new Promise<void>((ready) => receiver.listen(0, "127.0.0.1", ready));
    world = new TaintWorld(canaries, {
      firewall: await startLab({ devices: [device] }),
      cloud: await startCloud(canaries.of("clouds.yaml")),
      controller: await startContrailLab({ port: 0 }),
      mail: await SmtpServer.start(),
      receiver,
    });
    world.#layOut();
    // Clients of clouds look at the variables of the process itself.
    const before = process.env.OS_CLIENT_CONFIG_FILE;
    process.env.OS_CLIENT_CONFIG_FILE = join(world.folder, "home", "clouds.yaml");
    afterTest(() => {
      if (before === undefined) delete process.env.OS_CLIENT_CONFIG_FILE;
      else process.env.OS_CLIENT_CONFIG_FILE = before;
    });
    return world;
  }

  /** Requests to a receiver of notifications, statuses and traces. It accepts some and refuses some. */
  received(path: string, body: string, response: ServerResponse): void {
    if (path.startsWith("/v1/")) this.note("asked of Vault", `${path}\n`);
    if (path === "/v1/auth/approle/login") {
      response.end(JSON.stringify({ auth: { client_token: this.#canaries.of("a token that Vault gave") } }));
      return;
    }
    if (path === "/v1/secret/data/leaf") {
      response.end(JSON.stringify({ data: { data: { text: this.#canaries.of("a secret of Vault") } } }));
      return;
    }
    this.note("what was sent elsewhere", body);
    this.#status = this.#status === 200 ? 500 : 200;
    response.writeHead(this.#status).end("{}");
  }

  note(who: string, text: string): void {
    this.said.set(who, (this.said.get(who) ?? "") + text);
  }

  get receiver(): string {
    return `http://127.0.0.1:${(this.#receiver.address() as AddressInfo).port}`;
  }

  /** Of the firewall, on this machine. */
  get firewallUrl(): string {
    return this.#firewall.devices[0]?.plainUrl ?? "";
  }

  get environment(): Record<string, string> {
    const of = (place: string): string => this.#canaries.of(place);
    return {
      PATH: process.env.PATH ?? "",
      HOME: join(this.folder, "home"),
      PLUMBLINE_STATE_DIR: join(this.folder, "work", "state"),
      FW_PASSWORD: of("the firewall's password"),
      VAULT_ADDR: this.receiver,
      VAULT_TOKEN: of("the token for Vault"),
      VAULT_SECRET_ID: of("our word for Vault"),
      CONTROLLER: of("the controller's password"),
      CREDENTIALS_DIRECTORY: join(this.folder, "home", "credentials"),
      DOC: of("a leaf of a document"),
      FINGERPRINT: of("the key of fingerprints"),
      GIT_WORD: of("the password of the repository"),
      HOOK: of("the webhook's secret"),
      PAGE: of("the page's token"),
      PERSON: of("a person's token for the page"),
      SESSION: of("the key of sessions"),
      OIDC: of("our word for the provider of sign-ins"),
      VALUE: of("a value of the target"),
      SLACK: `${this.receiver}/services/${of("the address of a chat")}`,
      WEBHOOK: `${this.receiver}/${of("the address of a notification")}`,
      WEBHOOK_KEY: of("the key of notifications"),
      SMTP: of("the mailbox's password"),
      STATUS: of("the token for statuses"),
      DATABASE: of("the database's password"),
      PLUMBLINE_TOKEN: of("the code host's token"),
      PLUMBLINE_HOST: "gitea",
      PLUMBLINE_API_URL: `${this.receiver}/api/v1`,
      PLUMBLINE_REPOSITORY: "netops/desired",
      PLUMBLINE_VERDICT_KEY: of("the verdict service's key"),
      PLUMBLINE_VERDICT_URL: `http://127.0.0.1:${this.#firewall.devices[0]?.plainUrl?.split(":")[2] ?? 0}`,
      OTEL_EXPORTER_OTLP_ENDPOINT: this.receiver,
      OTEL_EXPORTER_OTLP_HEADERS: `api-key=${of("the collector's key")}`,
    };
  }

  /** Runs a command in this process. Gives its exit code. */
  /** Commands that ended with 0 or 2 at least once, and all exit codes. */
  readonly succeeded = new Set<string>();
  readonly codes: string[] = [];

  async run(
    words: readonly string[],
    more: { environment?: Record<string, string>; stop?: AbortSignal; now?: () => Date } = {},
  ): Promise<number> {
    const write = (text: string): void => this.note(`plumbline ${words.join(" ")}`, text);
    const code = await runCli([...confirmed(words), "--log-level", "debug"], {
      environment: { ...this.environment, ...more.environment },
      folder: this.repository,
      stdout: { write },
      stderr: { write },
      now: more.now ?? (() => new Date()),
      stop: more.stop ?? new AbortController().signal,
    });
    if (code === 0 || code === 2) this.succeeded.add(words[0] ?? "");
    this.codes.push(`${words.join(" ")}: ${code}`);
    return code;
  }

  want(address: string, more = ""): void {
    this.#write(
      "docs/edge.yaml",
      [
        "target: edge",
        "scope: vsys1",
        "config:",
        "  address:",
        `    a: { ip-netmask: ${address}, description: "\${env:DOC}" }`,
        `    b: { ip-netmask: 10.0.0.2, description: "\${file:${join(this.folder, "home", "leaf")}}" }`,
        `    c: { ip-netmask: 10.0.0.3, description: "\${exec:cat ${join(this.folder, "home", "command")}}" }`,
        '    e: { ip-netmask: 10.0.0.5, description: "${credential:leaf}" }',
        '    g: { ip-netmask: 10.0.0.7, description: "${value:banner}" }',
        '    f: { ip-netmask: 10.0.0.6, description: "${vault:secret/data/leaf#text}" }',
        more,
        "",
      ].join("\n"),
    );
    this.git("add", "-A");
    this.git("commit", "-q", "-m", `a is ${address}`);
    this.git("push", "-q", "origin", "HEAD:main");
  }

  /** Another administrator changes declared values, including secrets. */
  meddle(): void {
    const [device] = this.#firewall.devices;
    const element = "<ip-netmask>10.9.9.9</ip-netmask><description>by hand</description>";
    device?.act("alice", { type: "config", action: "set", xpath: `${ADDRESS}/entry[@name='a']`, element });
    device?.act("alice", { type: "commit", cmd: "<commit></commit>" });
  }

  git(...words: string[]): string {
    const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"];
    return execFileSync("git", ["-C", this.repository, ...who, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  /** All remaining files: state, history, ledgers, saved plans, proposals; unpacked objects of git. */
  leftBehind(): ReadonlyMap<string, Buffer> {
    const found = new Map<string, Buffer>();
    const work = join(this.folder, "work");
    for (const name of readdirSync(work, { recursive: true, encoding: "utf8" })) {
      const file = join(work, name);
      if (statSync(file, { throwIfNoEntry: false })?.isFile() === true) found.set(name, readFileSync(file));
    }
    for (const repository of ["repository", "origin.git"]) {
      const git = (...words: string[]) => execFileSync("git", ["-C", join(work, repository), ...words], { maxBuffer: 1e9 });
      for (const row of git("cat-file", "--batch-all-objects", "--batch-check").toString().trim().split("\n")) {
        const [id = "", type = ""] = row.split(" ");
        found.set(`${repository} ${type} ${id}`, git("cat-file", type === "tree" ? "-p" : type, id));
      }
    }
    for (const [index, { text }] of this.#mail.mails.entries()) found.set(`mail ${index}`, Buffer.from(text));
    return found;
  }

  #layOut(): void {
    const home = join(this.folder, "home");
    mkdirSync(join(this.repository, "docs"), { recursive: true });
    mkdirSync(join(home, "credentials"), { recursive: true });
    writeFileSync(join(home, "credentials", "leaf"), this.#canaries.of("a credential of the service"));
    writeFileSync(join(home, "leaf"), this.#canaries.of("a file of a document"));
    writeFileSync(join(home, "command"), this.#canaries.of("a command of a document"));
    const auth = `{ auth_url: "${this.#cloud.authUrl}", username: demo, password: ${this.#canaries.of("clouds.yaml")}, project_name: demo, user_domain_name: Default, project_domain_name: Default }`;
    writeFileSync(join(home, "clouds.yaml"), `clouds:\n  lab: { auth: ${auth} }\n`);
    const origin = join(this.folder, "work", "origin.git");
    execFileSync("git", ["init", "-q", "--bare", "--initial-branch=main", origin]);
    execFileSync("git", ["init", "-q", "--initial-branch=main", this.repository]);
    this.git("remote", "add", "origin", origin);
    this.#write("docs/cloud.yaml", "target: cloud\nscope: project\nconfig: { networks: { ours: {} } }\n");
    this.#write(
      "docs/fabric.yaml",
      'target: fabric\nscope: controller\nconfig: { virtual-networks: { "default-domain:default-project:ours": {} } }\n',
    );
    this.configure("");
    this.want("10.0.0.1");
  }

  configure(more: string): void {
    const [device] = this.#firewall.devices;
    const credentials = '{ username: netops, password: "${env:FW_PASSWORD}" }';
    const notify = [
      '    chat: { kind: slack, url: "${env:SLACK}" }',
      '    hook: { kind: webhook, url: "${env:WEBHOOK}", secret: "${env:WEBHOOK_KEY}" }',
      `    mail: { kind: email, server: "${this.#mail.url}", username: me, password: "\${env:SMTP}", from: a@example.net, to: [b@example.net] }`,
      `    status: { kind: commit-status, host: gitea, api: "${this.receiver}/api/v1", repository: netops/desired, token: "\${env:STATUS}" }`,
    ];
    const lines = [
      "format: 1",
      "owner: o",
      "documents: [docs]",
      'fingerprintKey: "${env:FINGERPRINT}"',
      'values: { banner: "${env:VALUE}" }',
      ...(more === "" ? [] : [more]),
      "targets:",
      `  edge: { kind: panos, url: "${device?.plainUrl}", mode: enforce, credentials: ${credentials} }`,
      "  cloud: { kind: openstack, cloud: lab, mode: propose }",
      `  fabric: { kind: contrail, url: "${this.#controller.url}", mode: propose, auth: { username: me, password: "\${env:CONTROLLER}" } }`,
      "agent:",
      `  source: { url: "${join(this.folder, "work", "origin.git")}", branch: main, password: "\${env:GIT_WORD}" }`,
      '  webhook: { secret: "${env:HOOK}" }',
      "  page:",
      '    token: "${env:PAGE}"',
      '    sessionKey: "${env:SESSION}"',
      "    address: http://127.0.0.1:1",
      '    tokens: [{ name: ann, token: "${env:PERSON}" }]',
      `    oidc: { issuer: "${this.receiver}", clientId: plumbline, clientSecret: "\${env:OIDC}" }`,
      "    rights: [{ tokens: [ann], roles: [read] }, { visitors: true, roles: [read] }]",
      "  http: { port: 0 }",
      "  notify:",
      ...notify,
      "",
    ];
    this.#write("plumbline.yaml", lines.join("\n"));
  }

  #write(file: string, text: string): void {
    writeFileSync(join(this.repository, file), text);
  }
}

async function startCloud(password: string): Promise<RunningOpenstackLab> {
  const lab = await startOpenstackLab({ ports: "free" });
  const { users } = lab.world.identity;
  for (const [id, user] of users) users.set(id, { ...user, password });
  return lab;
}
