import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runCli } from "../../src/cli/program.js";
import { type RunningLab, startLab } from "../../src/lab/lab.js";
import { afterTest } from "../after-test.js";
import { confirmed } from "../confirmed.js";
import { oneCertificate } from "../one-certificate.js";
import type { Run } from "./world.js";

/** A firewall on a path. */
export interface Firewall {
  /** Zone, address and interface, without the name of the interface. */
  readonly zones: Readonly<Record<string, string>>;
  readonly routes: Readonly<Record<string, string>>;
  readonly nat?: string;
}

const members = (tag: string, names: readonly string[]) => `<${tag}>${names.map((name) => `<member>${name}</member>`).join("")}</${tag}>`;
const entry = (name: string, text: string) => `<entry name="${name}">${text}</entry>`;
const entries = (map: Readonly<Record<string, string>>, of: (key: string, value: string, at: number) => string) =>
  Object.entries(map)
    .map(([key, value], at) => of(key, value, at))
    .join("");

/** Configuration of a firewall with one interface for each zone, and a rule that denies everything. */
function firewall({ zones, routes, nat = "" }: Firewall): string {
  const names = Object.keys(zones).map((_, at) => `ethernet1/${at + 1}`);
  const interfaces = entries(zones, (_, address, at) =>
    entry(`ethernet1/${at + 1}`, `<layer3><ip><entry name="${address}"/></ip></layer3>`),
  );
  const route = (to: string, hop: string, at: number) =>
    entry(`r${at}`, `<destination>${to}</destination><nexthop><ip-address>${hop}</ip-address></nexthop>`);
  const router = entry(
    "default",
    `${members("interface", names)}<routing-table><ip><static-route>${entries(routes, route)}</static-route></ip></routing-table>`,
  );
  const zone = (name: string, _: string, at: number) => entry(name, `<network>${members("layer3", [`ethernet1/${at + 1}`])}</network>`);
  const any = ["from", "to", "source", "destination", "application", "service"].map((tag) => members(tag, ["any"])).join("");
  const rules = `<security><rules>${entry("deny-all", `${any}<action>deny</action>`)}</rules></security>`;
  const vsys = `<import><network>${members("interface", names)}${members("virtual-router", ["default"])}</network></import><zone>${entries(zones, zone)}</zone><rulebase>${rules}${nat}</rulebase>`;
  const network = `<network><interface><ethernet>${interfaces}</ethernet></interface><virtual-router>${router}</virtual-router></network>`;
  const users = entry("plumbline", "<permissions><role-based><superuser>yes</superuser></role-based></permissions>");
  return `<config version="11.1.0" urldb="paloaltonetworks"><mgt-config><users>${users}</users></mgt-config><shared/><devices>${entry("localhost.localdomain", `${network}<vsys>${entry("vsys1", vsys)}</vsys>`)}</devices></config>`;
}

const DENY =
  "{ name: deny-all, from: [any], to: [any], source: [any], destination: [any], application: [any], service: [any], action: deny }";
/** A document with rules, and the rule that denies everything. */
export const rulesOf = (target: string, ...others: string[]) =>
  `target: ${target}\nscope: vsys1\nconfig:\n  # owned by the ${target} team\n  rulebase:\n    security:\n      rules:\n${[...others, DENY].map((rule) => `        - ${rule}\n`).join("")}`;

/** Two firewalls in a row. */
export const WEST: Firewall = { zones: { clients: "10.1.0.1/24", core: "192.0.2.1/30" }, routes: { "10.2.0.0/16": "192.0.2.2" } };
export const EAST: Firewall = { zones: { core: "192.0.2.2/30", servers: "10.2.0.1/24" }, routes: { "10.1.0.0/16": "192.0.2.1" } };
export const FLOW = "allow --from 10.1.0.5 --to 10.2.0.9 --service tcp/443 --application ssl --reason CHG-1";

/** Configuration of a manager with one device group, and a template with the zones of each firewall. */
function managerOf(firewalls: readonly (readonly [serial: string, firewall: Firewall])[], preRules: string): string {
  const devices = (serials: readonly string[]) => `<devices>${serials.map((serial) => entry(serial, "")).join("")}</devices>`;
  const zone = (name: string, _: string, at: number) => entry(name, `<network>${members("layer3", [`ethernet1/${at + 1}`])}</network>`);
  const local = (text: string) => `<devices>${entry("localhost.localdomain", text)}</devices>`;
  const templates = firewalls.map(([serial, { zones }]) =>
    entry(`net-${serial}`, `<config>${local(`<vsys>${entry("vsys1", `<zone>${entries(zones, zone)}</zone>`)}</vsys>`)}</config>`),
  );
  const stacks = firewalls.map(([serial]) =>
    entry(`stack-${serial}`, `<templates><member>net-${serial}</member></templates>${devices([serial])}`),
  );
  const all = devices(firewalls.map(([serial]) => serial));
  const group = entry("edge", `${all}<pre-rulebase><security><rules>${preRules}</rules></security></pre-rulebase>`);
  const config = `<template>${templates.join("")}</template><template-stack>${stacks.join("")}</template-stack><device-group>${group}</device-group>`;
  const parents = local(`<device-group>${entry("edge", "<id>11</id>")}</device-group>`);
  return `<config version="11.1.0"><mgt-config>${all}</mgt-config><shared/>${local(config)}<readonly>${parents}</readonly></config>`;
}

/** Rule of a manager that denies everything. */
export const NEVER = entry(
  "never",
  `${["from", "to", "source", "destination", "application", "service"].map((tag) => members(tag, ["any"])).join("")}<action>deny</action>`,
);

/** Firewalls, their documents in a repository, and the command line. */
export class PathWorld {
  readonly folder = mkdtempSync(join(tmpdir(), "plumbline-path-"));
  environment: Record<string, string> = {};

  private constructor(readonly labs: ReadonlyMap<string, RunningLab>) {}

  /** Starts firewalls of a manager, with these pre-rules of their device group, which are pushed. */
  static async startManaged(firewalls: Readonly<Record<string, Firewall>>, preRules: string): Promise<PathWorld> {
    const administrators = [{ name: "plumbline", password: "plumbline", role: { kind: "superuser" as const } }];
    const serials = Object.keys(firewalls).map((name, at) => [name, `00700000000000${at + 1}`] as const);
    const members = serials.map(([name, serial]) => [serial, firewalls[name] as Firewall] as const);
    const lab = await startLab({
      devices: [
        { name: "manager", config: managerOf(members, preRules), jobDuration: 0, administrators },
        ...serials.map(([name, serial]) => ({
          ...{ name, manager: "manager", system: { serial }, jobDuration: 0, administrators },
          config: firewall(firewalls[name] as Firewall),
        })),
      ],
      certificate: await oneCertificate(),
    });
    const world = new PathWorld(new Map([["manager", lab]]));
    world.push();
    const line = (name: string, more: string) => {
      const url = lab.devices.find((each) => each.name === name)?.url ?? "";
      return `  ${name}: { kind: panos, url: "${url}", tls: { ca: ca.pem }, credentials: { username: plumbline, password: "\${env:PASSWORD_WEST}" }, mode: enforce${more} }\n`;
    };
    const names = serials.map(([name]) => name);
    world.file(
      "documents/manager/rules.yaml",
      `target: manager\nscope: device-group/edge\nconfig:\n  pre-rulebase:\n    security:\n      rules:\n        - ${DENY.replace("deny-all", "never")}\n`,
    );
    world.#begin(names, `${line("manager", "")}${names.map((name) => line(name, ", manager: manager")).join("")}`);
    return world;
  }

  static async start(firewalls: Readonly<Record<string, Firewall>>, targets = ""): Promise<PathWorld> {
    const certificate = await oneCertificate();
    const labs = new Map<string, RunningLab>();
    const world = new PathWorld(labs);
    for (const [name, each] of Object.entries(firewalls)) {
      world.file(`lab/${name}.xml`, firewall(each));
      const configFile = join(world.folder, `lab/${name}.xml`);
      labs.set(name, await startLab({ devices: [{ name, configFile, jobDuration: 0, strict: true }], certificate }));
    }
    const lines = [...labs].map(
      ([name, lab]) =>
        `  ${name}: { kind: panos, url: "${lab.device.url}", tls: { ca: ca.pem }, credentials: { username: plumbline, password: "\${env:PASSWORD_${name.toUpperCase()}}" }, mode: enforce }\n`,
    );
    world.#begin([...labs.keys()], `${lines.join("")}${targets}`);
    return world;
  }

  /** Writes the documents of firewalls into a new repository. */
  #begin(names: readonly string[], targets: string): void {
    afterTest(async () => {
      await Promise.all([...this.labs.values()].map((lab) => lab.close()));
      rmSync(this.folder, { recursive: true, force: true });
    });
    this.file("plumbline.yaml", `format: 1\nowner: netops\ndocuments: [documents]\ntargets:\n${targets}`);
    this.file(".gitignore", "ca.pem\nlab\nstate\nrequests.csv\n");
    this.file("ca.pem", [...this.labs.values()][0]?.caPem ?? "");
    for (const name of names) this.file(`documents/${name}/rules.yaml`, rulesOf(name));
    execFileSync("git", ["init", "-q", "-b", "main", this.folder]);
    this.commit();
  }

  /** Pushes the running configuration of the manager to its firewalls, and waits for the end. */
  push(): void {
    const manager = this.labs.get("manager")?.device;
    const cmd = `<commit-all><shared-policy><device-group><entry name="edge"/></device-group></shared-policy></commit-all>`;
    manager?.act("plumbline", { type: "commit", action: "all", cmd });
    for (const _ of [1, 2, 3]) manager?.act("plumbline", { type: "op", cmd: "<show><jobs><all/></jobs></show>" });
  }

  git(...words: string[]): string {
    const who = ["-c", "user.name=t", "-c", "user.email=t@example.net"];
    return execFileSync("git", ["-C", this.folder, ...who, ...words], { encoding: "utf8" }).trim();
  }

  commit(): this {
    this.git("add", "-A");
    this.git("commit", "-q", "--allow-empty", "-m", "change");
    return this;
  }

  file(name: string, text: string): this {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), text);
    return this;
  }

  text(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  /** Documents that differ from the last commit. */
  get changed(): string {
    return this.git("status", "--porcelain", "documents");
  }

  async run(line: string): Promise<Run> {
    let out = "";
    let err = "";
    const code = await runCli([...confirmed(line.split(" ")), "--no-color"], {
      environment: {
        HOME: this.folder,
        PATH: process.env.PATH,
        PLUMBLINE_STATE_DIR: join(this.folder, "state"),
        PASSWORD_WEST: "plumbline",
        PASSWORD_EAST: "plumbline",
        PASSWORD_SPARE: "plumbline",
        ...this.environment,
      },
      folder: this.folder,
      stdout: { write: (text) => (out += text) },
      stderr: { write: (text) => (err += text) },
      now: () => new Date(),
      stop: new AbortController().signal,
    });
    return { code, out, err };
  }
}
