import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Operation } from "../../../src/core/operation.js";
import { childByTag } from "../../../src/core/tree/lookup.js";
import { TreeNode } from "../../../src/core/tree/node.js";
import { Path } from "../../../src/core/tree/path.js";
import { buildShape } from "../../../src/core/tree/shape-table.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { writeXml } from "../../../src/core/tree/xml/write.js";
import type { TargetConfiguration } from "../../../src/desired/configuration/configuration.js";
import type { DesiredKind, KindRegistry } from "../../../src/desired/kind.js";
import type { PassOptions, WriteOptions, Writers } from "../../../src/engine/pass/options.js";
import type { WriteTarget } from "../../../src/engine/write-target.js";
import { memoryGuards, memoryKind } from "../../../src/targets/memory/kind.js";
import { openMemoryReader, openMemoryWriter } from "../../../src/targets/memory/open-memory.js";
import type { MemoryTargetConfiguration } from "../../../src/targets/memory/settings.js";
import { MemoryTarget } from "../../../src/targets/memory/target.js";
import { openstackSettings } from "../../../src/targets/openstack/settings.js";
import { afterTest } from "../../after-test.js";
import { passOptions } from "../../pass-options.js";
import { rewired } from "../apply/rewired.js";

const shape = buildShape({
  root: {
    networks: {
      $: "list defines=network",
      owner: "leaf mark",
      mtu: "leaf computed type=integer",
      cidr: "leaf immutable type=cidr",
      id: "leaf readonly",
    },
    servers: { $: "list", owner: "leaf mark", network: "leaf refs=network", address: "leaf readonly", note: "leaf createonly" },
    groups: {
      $: "list",
      owner: "leaf mark",
      rules: { $: "list key=protocol,port", protocol: "leaf default=tcp type=tcp|udp", port: "leaf type=port", text: "leaf" },
    },
  },
  types: {},
});

/** A cloud in miniature: marks, computed and fixed fields, entries without names, and an address that it gives by itself. */
const cloudletKind: DesiredKind = {
  kind: "openstack",
  settings: openstackSettings,
  rootTag: "cloud",
  shape,
  strict: true,
  scopeWords: ["project"],
  place: (scope) => (scope === "project" ? Path.root.child("cloud") : undefined),
};

const kinds: KindRegistry = new Map([
  [cloudletKind.kind, cloudletKind],
  [memoryKind.kind, memoryKind],
]);
const isMemory = (target: TargetConfiguration): target is MemoryTargetConfiguration => target.kind === "memory";

const EMPTY = "<cloud><networks/><servers/><groups/></cloud>";

/** Entries whose create fails, by name. */
type Refusal = (operation: Operation) => void;

export class Cloudlet {
  target: MemoryTarget;
  refuse: Refusal = () => {};
  readonly writes: string[] = [];

  constructor(xml = EMPTY) {
    this.target = this.#make(xml);
  }

  get xml(): string {
    return writeXml(this.target.configurations.candidate, { secrets: "reveal" }).replace(/ admin="[^"]*" time="[^"]*"/g, "");
  }

  set xml(xml: string) {
    this.target = this.#make(xml);
  }

  #make(xml: string): MemoryTarget {
    const none = {
      candidate: false,
      locks: false,
      changeList: false,
      partialCommit: false,
      partialRevert: false,
      validate: false,
      rename: false,
    };
    const capabilities = { ...none, atomicBatch: false, independentObjects: true };
    return new MemoryTarget({ name: "cloud", shape, tree: parseXml(xml), capabilities });
  }

  /** A writer that does one operation after another. */
  get writeTarget(): WriteTarget {
    return rewired(this.target, ({ write }) => ({
      write: async (batch) => {
        for (const operation of batch) {
          this.refuse(operation);
          this.writes.push(`${operation.action} ${operation.at}`);
          await write([operation]);
          this.#fill();
        }
      },
    }));
  }

  /** Gives each server an address, as a cloud does. */
  #fill(): void {
    const servers = childByTag(this.target.configurations.candidate, "servers");
    for (const [index, server] of (servers?.children ?? []).entries()) {
      if (childByTag(server, "address") === undefined)
        server.children = [...server.children, new TreeNode("address", undefined, `10.0.0.${index + 10}`)];
    }
  }
}

const CONFIGURATION = `format: 1
owner: netops
documents: [documents]
guards: { from: 1000 }
targets:
  cloud: { kind: openstack, cloud: lab, mode: enforce }
  edge: { kind: memory, file: edge.xml, mode: enforce }
`;

/** A folder with two targets, of which the second may refer to the first. */
export class TwoTargets {
  readonly folder = mkdtempSync(join(tmpdir(), "plumbline-two-"));
  readonly cloud: Cloudlet;

  constructor(cloud = new Cloudlet(), edge = "<config><shared><address/></shared></config>") {
    this.cloud = cloud;
    afterTest(() => rmSync(this.folder, { recursive: true, force: true }));
    this.file("plumbline.yaml", CONFIGURATION);
    this.file("edge.xml", edge);
  }

  file(name: string, text: string): this {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return this;
  }

  get edge(): string {
    return readFileSync(join(this.folder, "edge.xml"), "utf8");
  }

  get options(): PassOptions {
    return passOptions({
      configurationFile: join(this.folder, "plumbline.yaml"),
      stateFolder: join(this.folder, "state"),
      kinds,
      environment: {},
      machine: {
        host: "host",
        pid: 1,
        now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
        monotonic: () => 0,
        isAlive: () => true,
        random: () => "r1",
      },
      targets: [],
      ledger: join(this.folder, "ledger.json"),
    });
  }

  readonly write: WriteOptions = { takeover: false, lockTimeout: 0, sleep: async () => {} };

  readonly targets: Writers = {
    reader: (configuration) => (isMemory(configuration) ? openMemoryReader(configuration) : this.cloud.target),
    writer: (configuration) => (isMemory(configuration) ? openMemoryWriter(configuration) : this.cloud.writeTarget),
    guards: () => memoryGuards,
  };
}
