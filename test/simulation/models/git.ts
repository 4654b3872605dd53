import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Git, GitOptions, GitResult } from "../../../src/engine/checkout/git.js";
import { expectAlive, running } from "../running.js";
import { atOnce } from "./file-system.js";
import { type GitObject, Repository } from "./repository.js";

/**
 * The part of git that Plumbline uses: in memory, with remotes that answer late or never. `test/engine/ledger/stores.test.ts` compares it
 * with the program for ledgers.
 */
export function gitIn(folder: string, { stop }: GitOptions = {}): Git {
  return async (args, input: string | Uint8Array = "") => {
    await expectAlive();
    const [command = "", ...rest] = withoutSettings(args);
    const tree = args.find((word) => word.startsWith("--work-tree="))?.slice("--work-tree=".length) ?? folder;
    const repository = repositoryAt(folder);
    if (command === "init") {
      makeRepository(folder, rest.includes("--bare"));
      return said("");
    }
    if (repository === undefined) return failed(128, "fatal: not a git repository");
    const remote = REMOTE[command];
    if (remote !== undefined) return await overTheWire(() => remote(repository, rest), stop);
    return LOCAL[command]?.(repository, rest, input, tree) ?? failed(1, `git: '${command}' is not modelled`);
  };
}

const repositories = new Map<string, Repository>();

export function emptyRepositories(): void {
  repositories.clear();
}

const MARK = "HEAD";

export function repositoryAt(folder: string): Repository | undefined {
  for (const place of [join(folder, ".git", MARK), join(folder, MARK)]) {
    if (atOnce.exists(place)) return repositories.get(atOnce.read(place));
  }
  const above = join(folder, "..");
  return above === folder ? undefined : repositoryAt(above);
}

function rootOf(folder: string): string {
  return atOnce.exists(join(folder, ".git")) || folder === "/" ? folder : rootOf(join(folder, ".."));
}

/** As `git init` makes it. */
export function makeRepository(folder: string, isBare: boolean): Repository {
  const id = `repository ${repositories.size + 1}`;
  const repository = new Repository(isBare);
  repositories.set(id, repository);
  atOnce.write(isBare ? join(folder, MARK) : join(folder, ".git", MARK), id);
  return repository;
}

function said(stdout: string): GitResult {
  return { code: 0, stdout, stderr: "" };
}

function failed(code: number, stderr = ""): GitResult {
  return { code, stdout: "", stderr };
}

/** A lost request was not executed. With a lost reply it was. */
async function overTheWire(work: () => GitResult, stop: AbortSignal | undefined): Promise<GitResult> {
  const unreachable = failed(128, "fatal: unable to access the remote: Could not resolve host");
  const { scheduler, isRemoteReachable, delayToRemote } = running();
  await scheduler.wait(delayToRemote());
  if (stop?.aborted === true) return failed(137);
  if (!isRemoteReachable()) return unreachable;
  const result = work();
  await scheduler.wait(delayToRemote());
  return isRemoteReachable() ? result : unreachable;
}

function withoutSettings(args: readonly string[]): readonly string[] {
  let at = 0;
  while (args[at] === "-c" || /^--(git-dir|work-tree)=/.test(args[at] ?? "")) at += args[at] === "-c" ? 2 : 1;
  return args.slice(at);
}

function lines(rows: readonly string[]): string {
  return rows.map((row) => `${row}\n`).join("");
}

type Local = (repository: Repository, words: readonly string[], input: string | Uint8Array, folder: string) => GitResult;

const plain = (words: readonly string[]): string[] => words.filter((word) => !word.startsWith("-"));

const READ: Readonly<Record<string, (content: Buffer) => GitObject>> = {
  blob: (content) => ({ type: "blob", text: content.toString() }),
  tree(content) {
    const end = content.indexOf(0);
    const name = content.toString("utf8", content.indexOf(" ") + 1, end);
    return { type: "tree", files: new Map([[name, content.toString("hex", end + 1)]]) };
  },
  commit(content) {
    const rows = content.toString().split("\n\n")[0]?.split("\n") ?? [];
    const said = (word: string) => rows.filter((row) => row.startsWith(`${word} `)).map((row) => row.slice(word.length + 1));
    return {
      type: "commit",
      tree: said("tree")[0] ?? "",
      parents: said("parent"),
      author: said("author")[0]?.replace(/ \d+ \S+$/, "") ?? "",
    };
  },
};

/** Stores an object under the id that git computes, and prints the id. */
function addObject(repository: Repository, type: string, content: Buffer): GitResult {
  const object = READ[type]?.(content);
  if (object === undefined) return failed(128, `fatal: invalid object type "${type}"`);
  const id = createHash("sha1").update(`${type} ${content.length}\0`).update(content).digest("hex");
  repository.objects.set(id, object);
  return said(`${id}\n`);
}

const LOCAL: Readonly<Record<string, Local>> = {
  "rev-parse": (repository, words, _, folder) => {
    const isQuiet = words.includes("--revs-only");
    const rows = words
      .filter((word) => word !== "--revs-only" && (!isQuiet || word !== "HEAD" || repository.headCommit !== undefined))
      .flatMap((word) => {
        if (word === "HEAD^@") return repository.commitAt("HEAD")?.parents ?? [];
        if (word === "--show-toplevel") return rootOf(folder);
        if (word === "--is-shallow-repository") return "false";
        if (word === "--git-dir") return ".git";
        return repository.resolve(word);
      });
    return rows.includes(undefined) ? failed(128, "fatal: ambiguous argument") : said(lines(rows.filter((row) => row !== undefined)));
  },
  log: (repository, words) => {
    const [name = "HEAD"] = plain(words);
    const commit = repository.commitAt(name);
    if (commit === undefined) return failed(128, "fatal: your current branch does not have any commits yet");
    const format = words.find((word) => word.startsWith("--format="))?.slice("--format=".length) ?? "";
    const text = format.replace("%H", repository.resolve(name) ?? "").replace("%an <%ae>", commit.author);
    return said(`${text.replace("%n", "\n")}\n`);
  },
  status: (repository, _, __, folder) => {
    const wanted = repository.filesAt("HEAD");
    const there = new Map(
      atOnce
        .list(folder)
        .filter((name) => !name.startsWith(".git/"))
        .map((name) => [name, atOnce.read(join(folder, name))]),
    );
    const changed = [...wanted].flatMap(([name, text]) => {
      if (!there.has(name)) return [` D ${name}`];
      return there.get(name) === text ? [] : [` M ${name}`];
    });
    const more = [...there.keys()].filter((name) => !wanted.has(name)).map((name) => `?? ${name}`);
    return said([...changed.sort(), ...more.sort()].map((row) => `${row}\0`).join(""));
  },
  "ls-files": (repository, words) => {
    const names = [...repository.filesAt("HEAD").keys()];
    const prefix = words.includes("--stage") ? `100644 ${"0".repeat(40)} 0\t` : "H ";
    return said(names.map((name) => `${prefix}${name}\0`).join(""));
  },
  "ls-tree": (repository, words) => {
    const commit = plain(words)[0] ?? "";
    if (repository.commitAt(commit) === undefined) return failed(128, "fatal: Not a valid object name");
    return said([...repository.filesAt(commit).keys()].map((name) => `100644 blob ${"0".repeat(40)}\t${name}\0`).join(""));
  },
  "symbolic-ref": ({ head }) => (head.startsWith("refs/heads/") ? said(`${head.slice("refs/heads/".length)}\n`) : failed(1)),
  config: ({ remotes }, words) => {
    if (!words.includes("--get-regexp") || remotes.size === 0) return failed(1);
    return said([...remotes].map(([name, url]) => `remote.${name}.url\n${url}\0`).join(""));
  },
  remote: ({ remotes }, words) => {
    const [action, name = "", url = ""] = plain(words);
    if (action === "add") remotes.set(name, url);
    else if (action === "remove") return remotes.delete(name) ? said("") : failed(2, `error: No such remote: '${name}'`);
    return said(action === undefined ? lines([...remotes.keys()]) : "");
  },
  "hash-object": (repository, words, input) => {
    const type = words.includes("-t") ? (words[words.indexOf("-t") + 1] ?? "") : "blob";
    return addObject(repository, type, Buffer.from(input));
  },
  mktree: (repository, _, input) => {
    const [, blob = "", name = ""] = /^100644 blob (\S+)\t(.*)\n$/.exec(input.toString()) ?? [];
    if (!repository.objects.has(blob)) return failed(128, `fatal: entry '${name}' object ${blob} is unavailable`);
    return addObject(repository, "tree", Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, "hex")]));
  },
  "update-ref": (repository, words) => {
    const [ref = "", to = "", from] = words;
    if (from !== undefined && (repository.refs.get(ref) ?? "0".repeat(to.length)) !== from) return failed(128, "fatal: cannot lock ref");
    repository.refs.set(ref, to);
    return said("");
  },
  "for-each-ref": ({ refs }, words) => {
    const [pattern = ""] = plain(words);
    const expression = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", "[^/]*")}(/.*)?$`);
    const found = [...refs].filter(([ref]) => expression.test(ref)).sort(([a], [b]) => (a < b ? -1 : 1));
    return said(lines(found.map(([ref, id]) => `${id}\t${ref}`)));
  },
  "cat-file": (repository, words) => {
    const [kind, name = ""] = words;
    if (kind === "-e") return repository.resolve(name) === undefined ? failed(1) : said("");
    const [commit = "", path = ""] = name.split(":");
    const text = repository.filesAt(commit).get(path);
    return text === undefined ? failed(128, `fatal: path '${path}' does not exist in '${commit}'`) : said(text);
  },
  "merge-base": (repository, words) => {
    const [ancestor = "", commit = ""] = plain(words);
    const [a, b] = [repository.resolve(ancestor), repository.resolve(commit)];
    if (a === undefined || b === undefined) return failed(128, "fatal: Not a valid commit name");
    return repository.isAncestor(a, b) ? said("") : failed(1);
  },
  diff: (repository, words) => {
    const [from = "", to = ""] = plain(words);
    const [before, after] = [repository.filesAt(from), repository.filesAt(to)];
    const names = [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
    return said(
      names
        .sort()
        .map((name) => `${name}\0`)
        .join(""),
    );
  },
  checkout: (repository, words, _, folder) => {
    const commit = repository.resolve(words.at(-1) ?? "");
    if (commit === undefined || repository.commitAt(commit) === undefined) return failed(128, "fatal: reference is not a tree");
    const [before, after] = [repository.filesAt("HEAD"), repository.filesAt(commit)];
    for (const name of before.keys()) if (!after.has(name)) atOnce.remove(join(folder, name));
    for (const [name, text] of after) atOnce.write(join(folder, name), text);
    repository.head = commit;
    return said("");
  },
  "read-tree": (repository, words, _, folder) => {
    const commit = words.at(-1) ?? "";
    if (repository.commitAt(commit) === undefined) return failed(128, "fatal: Not a valid object name");
    for (const [name, text] of repository.filesAt(commit)) atOnce.write(join(folder, name), text);
    return said("");
  },
  clean: (repository, _, __, folder) => {
    const kept = repository.filesAt("HEAD");
    const there = atOnce.list(folder).filter((name) => !name.startsWith(".git/"));
    for (const name of there) if (!kept.has(name)) atOnce.remove(join(folder, name));
    return said("");
  },
};

type Remote = (repository: Repository, words: readonly string[]) => GitResult;

const noRemote = (name: string): GitResult => failed(128, `fatal: '${name}' does not appear to be a git repository`);

function remoteOf({ remotes }: Repository, name: string): Repository | undefined {
  return repositoryAt(remotes.get(name) ?? name);
}

const REMOTE: Readonly<Record<string, Remote>> = {
  "ls-remote": (repository, words) => {
    const [name = "", pattern = "*"] = plain(words);
    const remote = remoteOf(repository, name);
    if (remote === undefined) return noRemote(name);
    const expression = new RegExp(`(^|/)${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
    const found = [...remote.refs].filter(([ref]) => expression.test(ref)).sort(([a], [b]) => (a < b ? -1 : 1));
    return said(lines(found.map(([ref, id]) => `${id}\t${ref}`)));
  },
  fetch: (repository, words) => {
    const [name = "", wanted = ""] = plain(words);
    const remote = remoteOf(repository, name);
    if (remote === undefined) return noRemote(name);
    const [from = "", to] = wanted.replace(/^\+/, "").split(":");
    const id = remote.resolve(from);
    if (id === undefined) return failed(128, `fatal: couldn't find remote ref ${from}`);
    repository.take(id, remote);
    if (to !== undefined) repository.refs.set(to, id);
    return said("");
  },
  push: (repository, words) => {
    const [name = "", ...moves] = plain(words);
    const remote = remoteOf(repository, name);
    if (remote === undefined) return noRemote(name);
    const leases = words.filter((word) => word.startsWith("--force-with-lease=")).map((word) => word.slice(19).split(":"));
    const rejected = moves.filter((move) => {
      const [commit = "", ref = ""] = move.split(":");
      const [, lease] = leases.find(([leased]) => leased === ref) ?? [];
      const current = remote.refs.get(ref);
      if (current === commit) return false;
      if (lease !== undefined && (current ?? "") !== lease) return true;
      remote.take(commit, repository);
      remote.refs.set(ref, commit);
      return false;
    });
    return rejected.length === 0 ? said("") : failed(1, lines(rejected.map((move) => `! ${move} [rejected] (stale info)`)));
  },
};
