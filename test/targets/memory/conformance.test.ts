import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TreeNode } from "../../../src/core/tree/node.js";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { openMemoryWriter } from "../../../src/targets/memory/open-memory.js";
import { MemoryTarget } from "../../../src/targets/memory/target.js";
import { panosShape } from "../../../src/targets/panos/shape.js";
import type { Bench } from "../conformance/bench.js";
import { onFirewall, RUNNING } from "../conformance/firewall-tree.js";
import { IN_FORCE_AT_ONCE } from "../conformance/on-cloud.js";
import { targetConformance } from "../conformance/target-conformance.js";

const NO_WIRE = [
  "has done a write whose reply is lost once, and says that it was lost or looks itself",
  "finds the job of a commit whose reply is lost",
];
const NOT_IN_MEMORY = [
  ...NO_WIRE,
  "has a digest that stays while nothing moves, and moves with what is written",
  "calls nothing hidden that is only gone",
  "knows no checksum of an image that is not there",
  "tells its own time, and records of a log in it",
  "stops at what is refused, and lets stand what came before",
  "waits until what was written is made",
];

async function inMemory(): Promise<Bench> {
  const target = new MemoryTarget({ name: "m", shape: panosShape(), tree: parseXml(Buffer.from(RUNNING)) });
  const other = {
    name: "alice",
    lock: () => target.lockAs("alice", "hands off"),
    write: (element: TreeNode) => target.writeAs("alice", [{ action: "set", at: onFirewall.list, element }]),
  };
  return { ...onFirewall, connect: () => target, other, close: async () => undefined };
}

async function inFile(): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), "plumbline-memory-"));
  const file = join(folder, "tree.xml");
  await writeFile(file, RUNNING);
  const settings = {
    kind: "memory",
    name: "m",
    folder: dirname(file),
    file,
    mode: "enforce",
    rewriteLists: "never",
    approve: "none",
  } as const;
  return { ...onFirewall, connect: () => openMemoryWriter(settings), close: () => rm(folder, { recursive: true }) };
}

targetConformance("a tree in memory", inMemory, NOT_IN_MEMORY);
targetConformance("a tree in a file", inFile, [...new Set([...NOT_IN_MEMORY, ...IN_FORCE_AT_ONCE])]);
