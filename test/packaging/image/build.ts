import { execFile } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import picomatch from "picomatch";
import { stagesOf } from "../dockerfile.js";
import { baseOf, rootOfBase } from "./base.js";
import { inRoot, WHILE_BUILDING } from "./root.js";

const run = promisify(execFile);

/** The result of a Dockerfile: a root file system, and how to start a container of it. */
export interface Image {
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly volumes: readonly string[];
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

interface Stage {
  readonly root: string;
  environment: Record<string, string>;
  workdir: string;
  user: string;
  readonly rest: Map<string, string>;
}

/** Follows the instructions of the Dockerfile in `context`, one after the other, as an engine does. The caller removes `folder`. */
export async function buildImage(context: string, folder: string): Promise<Image> {
  const text = readFileSync(join(context, "Dockerfile"), "utf8");
  const base = await rootOfBase(baseOf(text));
  const named = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const { name, text: words } of stagesOf(text).flat()) {
    if (name === "FROM") {
      stage = { root: await copyOf(base, folder), environment: {}, workdir: "/", user: "root", rest: new Map() };
      named.set(/ AS (\w+)$/i.exec(words)?.[1] ?? "", stage);
    } else if (stage !== undefined)
      await follow(stage, name, words, (from) => (from === undefined ? context : (named.get(from)?.root ?? "")));
  }
  if (stage === undefined) throw new Error("no stage");
  const list = (name: string): string[] => JSON.parse(stage.rest.get(name)?.replace(/^.*?CMD /, "") ?? "[]");
  return {
    ...stage,
    volumes: [stage.rest.get("VOLUME") ?? ""],
    entrypoint: list("ENTRYPOINT"),
    command: list("CMD"),
    healthCheck: list("HEALTHCHECK"),
  };
}

async function follow(stage: Stage, name: string, words: string, source: (from: string | undefined) => string): Promise<void> {
  if (name === "RUN")
    await inRoot(stage.root, ["/bin/sh", "-c", words], {
      cwd: stage.workdir,
      env: { HOME: "/root", ...WHILE_BUILDING, ...stage.environment },
    });
  else if (name === "ENV")
    for (const pair of words.split(/\s+/)) stage.environment[pair.split("=")[0] ?? ""] = pair.slice(pair.indexOf("=") + 1);
  else if (name === "WORKDIR") {
    stage.workdir = words;
    mkdirSync(join(stage.root, words), { recursive: true });
  } else if (name === "USER") stage.user = words;
  else if (name === "COPY") copy(stage, words, source);
  else stage.rest.set(name, words);
}

function copy(stage: Stage, words: string, source: (from: string | undefined) => string): void {
  const [, from, files = ""] = /^(?:--from=(\S+) )?(.*)$/.exec(words) ?? [];
  const names = files.split(" ");
  const to = join(stage.root, stage.workdir, names.pop() ?? "");
  const context = source(from);
  const isKept = from === undefined ? keptBy(context) : () => true;
  for (const each of names) {
    const path = join(context, each);
    const place = statSync(path).isDirectory() ? to : join(to, each.slice(each.lastIndexOf("/") + 1));
    mkdirSync(dirname(place), { recursive: true });
    cpSync(path, place, { recursive: true, filter: (file) => isKept(relative(context, file)), dereference: false });
  }
}

/** The files of a context that `.dockerignore` keeps. */
function keptBy(context: string): (path: string) => boolean {
  const lines = readFileSync(join(context, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "");
  const isLeftOut = picomatch(lines, { dot: true });
  return (path) => path === "" || !isLeftOut(path);
}

async function copyOf(base: string, folder: string): Promise<string> {
  const root = mkdtempSync(join(folder, "root-"));
  await run("cp", ["--archive", "--reflink=auto", `${base}/.`, root]);
  chmodSync(root, 0o755);
  return root;
}
