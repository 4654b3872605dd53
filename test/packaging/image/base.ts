import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { inRoot } from "./root.js";

/** The Node and Debian versions in the comment above `FROM`. */
export interface Base {
  readonly node: string;
  readonly debian: string;
}

const run = promisify(execFile);
const CODE_NAMES: Readonly<Record<string, string>> = { "12": "bookworm", "13": "trixie" };

/** For a Dockerfile based on Debian's Node image. */
export function baseOf(dockerfile: string): Base {
  const [, node = "", number = ""] = /^# Node (\S+) on Debian (\d+)\./m.exec(dockerfile) ?? [];
  const [, major = "", debian = ""] = /^FROM node:(\d+)-(\w+)-slim@/m.exec(dockerfile) ?? [];
  if (node.split(".")[0] !== major || CODE_NAMES[number] !== debian) throw new Error("the comment and FROM name different bases");
  return { node, debian };
}

const cache = (): string => join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "plumbline-tests");

/**
 * The root file system of the base image, built from the same parts as the one on Docker Hub, because the test uses no image registry:
 * Debian's minimal system, Node's binary of that version and npm in /usr/local, the user `node` (1000). Kept between runs.
 */
export async function rootOfBase(base: Base): Promise<string> {
  const place = join(cache(), `node-${base.node}-${base.debian}`);
  if (existsSync(place)) return place;
  mkdirSync(cache(), { recursive: true });
  const root = mkdtempSync(join(cache(), "new-"));
  try {
    await run("debootstrap", ["--variant=minbase", base.debian, root], { maxBuffer: 1e8 });
    await addNode(root, base.node);
    await inRoot(root, ["groupadd", "--gid", "1000", "node"]);
    await inRoot(root, ["useradd", "--uid", "1000", "--gid", "node", "--shell", "/bin/bash", "--create-home", "node"]);
    renameSync(root, place);
  } catch (error) {
    rmSync(root, { recursive: true, force: true });
    throw error;
  }
  return place;
}

async function addNode(root: string, version: string): Promise<void> {
  const parts = join(root, "run/parts");
  mkdirSync(parts, { recursive: true });
  writeFileSync(join(parts, "package.json"), "{}");
  const packages = [`node-linux-${process.arch}@${version}`, "npm@11"];
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--silent", "--force", ...packages], { cwd: parts });
  cpSync(join(parts, `node_modules/node-linux-${process.arch}/bin/node`), join(root, "usr/local/bin/node"));
  cpSync(join(parts, "node_modules/npm"), join(root, "usr/local/lib/node_modules/npm"), { recursive: true });
  symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm"));
  rmSync(parts, { recursive: true });
}
