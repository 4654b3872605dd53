import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { gitIn } from "../../../src/engine/checkout/git.js";
import { BundleStore } from "../../../src/engine/ledger/bundle-store.js";
import { fileDocument, urlDocument } from "../../../src/engine/ledger/document.js";
import { FolderStore } from "../../../src/engine/ledger/folder-store.js";
import { GitStore } from "../../../src/engine/ledger/git-store.js";
import type { LedgerRecord } from "../../../src/engine/ledger/ledger.js";
import type { LedgerStore } from "../../../src/engine/ledger/store.js";
import { StoredLedger } from "../../../src/engine/ledger/stored-ledger.js";
import { afterTest } from "../../after-test.js";
import { emptyFileSystem, ROOT } from "../../simulation/models/file-system.js";
import { emptyRepositories, makeRepository, gitIn as modelGit } from "../../simulation/models/git.js";
import { setRunning } from "../../simulation/running.js";

const closers: (() => void)[] = [];
afterAll(() => {
  for (const close of closers) close();
});

function record(fields: Partial<LedgerRecord> = {}): LedgerRecord {
  const empty = { commit: undefined, paths: [], adopted: [], secrets: {}, deletes: undefined, stuck: undefined };
  return { owner: "netops", target: "edge", ...empty, ...fields };
}

function folder(): string {
  return mkdtempSync(join(tmpdir(), "ledger-"));
}

function bareWithClones(): () => string {
  const bare = folder();
  execFileSync("git", ["init", "--quiet", "--bare", bare]);
  return () => {
    const clone = folder();
    execFileSync("git", ["clone", "--quiet", bare, clone], { stdio: "ignore" });
    return clone;
  };
}

/** A server of one document with ETags, as an object store is. */
async function documentServer(): Promise<string> {
  let text: string | undefined;
  let version = 0;
  const server = createServer((request, response) => {
    const tag = `"${version}"`;
    if (request.method === "GET") {
      response.writeHead(text === undefined ? 404 : 200, text === undefined ? {} : { etag: tag });
      response.end(text ?? "");
      return;
    }
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const fits = text === undefined ? request.headers["if-none-match"] === "*" : request.headers["if-match"] === tag;
      if (fits) {
        text = body;
        version += 1;
      }
      response.writeHead(fits ? 204 : 412).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/ledger`;
}

/** Each gives ledgers that share one place, as two runs on two machines do. */
const places: Record<string, () => Promise<() => StoredLedger>> = {
  "a folder": async () => {
    const at = folder();
    return () => new StoredLedger(new FolderStore(at));
  },
  "a file": async () => {
    const at = join(folder(), "ledgers.json");
    return () => new StoredLedger(new BundleStore(fileDocument(at)));
  },
  "a URL": async () => {
    const url = await documentServer();
    return () => new StoredLedger(new BundleStore(urlDocument(url)));
  },
  "git without a remote": async () => {
    const at = folder();
    execFileSync("git", ["init", "--quiet", at]);
    return () => new StoredLedger(new GitStore(gitIn(at), undefined));
  },
  "git with a remote": async () => {
    const clone = bareWithClones();
    return () => new StoredLedger(new GitStore(gitIn(clone()), "origin"));
  },
  "the simulation's git without a remote": async () => {
    simulated();
    makeRepository(`${ROOT}/alone`, false);
    return () => new StoredLedger(new GitStore(modelGit(`${ROOT}/alone`), undefined));
  },
  "the simulation's git with a remote": async () => {
    simulated();
    makeRepository(`${ROOT}/bare`, true);
    let clones = 0;
    return () => {
      const clone = `${ROOT}/clone-${clones++}`;
      makeRepository(clone, false).remotes.set("origin", `${ROOT}/bare`);
      return new StoredLedger(new GitStore(modelGit(clone), "origin"));
    };
  },
};

/** Without waiting. */
function simulated(): void {
  const scheduler = { now: 0, process: undefined, wait: async () => undefined };
  setRunning({ scheduler, random: () => "", isRemoteReachable: () => true, delayToRemote: () => 0 });
  afterTest(() => setRunning(undefined));
  emptyFileSystem();
  emptyRepositories();
}

describe.each(Object.entries(places))("a ledger in %s", (_, place) => {
  it("is missing before the first write", async () => {
    const open = await place();
    expect(await open().read("netops", "edge")).toEqual({ state: "missing" });
  });

  it("is read back as written, also elsewhere", async () => {
    const open = await place();
    const written = record({
      commit: "abc",
      paths: ["/config/shared/address/entry[@name='web']"],
      adopted: ["/config/shared/address"],
      secrets: { "/config/a": { plain: "1", stored: "2" } },
      deletes: { day: "2026-01-02", count: 3 },
      stuck: { commit: "abc", operations: "ff" },
    });
    await open().write(written);
    expect(await open().read("netops", "edge")).toEqual({ state: "present", record: written });
  });

  it("is separate per owner and target", async () => {
    const open = await place();
    const one = open();
    await one.write(record({ paths: ["/a"] }));
    await one.write(record({ target: "core", paths: ["/b"] }));
    await one.write(record({ owner: "other.team/x", paths: ["/c"] }));
    expect(await open().read("netops", "edge")).toMatchObject({ record: { paths: ["/a"] } });
    expect(await open().read("netops", "core")).toMatchObject({ record: { paths: ["/b"] } });
    expect(await open().foreign("netops", "edge")).toEqual(new Map([["/c", "other.team/x"]]));
    expect(await open().foreign("netops", "core")).toEqual(new Map());
  });

  it("lets one of two writers that read the same version win", async () => {
    const open = await place();
    await open().write(record({ paths: ["/a"] }));
    const [first, second] = [open(), open()];
    await first.read("netops", "edge");
    await second.read("netops", "edge");
    await first.write(record({ paths: ["/b"] }));
    await expect(second.write(record({ paths: ["/c"] }))).rejects.toMatchObject({ code: "ledger-conflict" });
    expect(await open().read("netops", "edge")).toMatchObject({ record: { paths: ["/b"] } });
    await second.read("netops", "edge");
    await second.write(record({ paths: ["/c"] }));
    await second.write(record({ paths: ["/d"] }));
    expect(await open().read("netops", "edge")).toMatchObject({ record: { paths: ["/d"] } });
  });

  it("lets one of two first writers win", async () => {
    const open = await place();
    const [first, second] = [open(), open()];
    await first.read("netops", "edge");
    await second.read("netops", "edge");
    await first.write(record({ paths: ["/a"] }));
    await expect(second.write(record({ paths: ["/b"] }))).rejects.toMatchObject({ code: "ledger-conflict" });
  });

  it("lets one of two writers of the same text win", async () => {
    const open = await place();
    await open().write(record({ paths: ["/a"] }));
    const writers = [open(), open(), open()];
    for (const writer of writers) await writer.read("netops", "edge");
    const ends = await Promise.allSettled(writers.map((writer) => writer.write(record({ paths: ["/a", "/b"] }))));
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("an unreadable ledger", () => {
  it("is unreadable if a file is truncated anywhere, never empty", async () => {
    const at = folder();
    await new StoredLedger(new FolderStore(at)).write(record({ paths: ["/a", "/b"] }));
    const file = join(at, "netops", "edge.json");
    const whole = readFileSync(file, "utf8");
    for (let length = 0; length < whole.trimEnd().length; length++) {
      writeFileSync(file, whole);
      truncateSync(file, length);
      expect((await new StoredLedger(new FolderStore(at)).read("netops", "edge")).state).toBe("unreadable");
    }
  });

  it("is unreadable if the remote does not answer", async () => {
    const at = folder();
    execFileSync("git", ["init", "--quiet", at]);
    execFileSync("git", ["-C", at, "remote", "add", "origin", join(at, "nowhere")]);
    const read = await new StoredLedger(new GitStore(gitIn(at), "origin")).read("netops", "edge");
    expect(read).toMatchObject({ state: "unreadable", reason: expect.stringContaining("refs/plumbline/netops/edge on origin") });
  });

  it("is unreadable if it belongs to another target", async () => {
    const at = folder();
    await new StoredLedger(new FolderStore(at)).write(record({ target: "core" }));
    writeFileSync(join(at, "netops", "edge.json"), readFileSync(join(at, "netops", "core.json")));
    expect((await new StoredLedger(new FolderStore(at)).read("netops", "edge")).state).toBe("unreadable");
  });

  it("names the place of a refused write", async () => {
    const at = folder();
    execFileSync("git", ["init", "--quiet", at]);
    execFileSync("git", ["-C", at, "remote", "add", "origin", join(at, "nowhere")]);
    const ledger = new StoredLedger(new GitStore(gitIn(at), "origin"));
    await expect(ledger.write(record())).rejects.toMatchObject({ code: "ledger-unwritable" });
  });

  it("is written after the clone was recreated in between", async () => {
    const clone = bareWithClones();
    const at = clone();
    const ledger = new StoredLedger(new GitStore(gitIn(at), "origin"));
    await ledger.write(record({ paths: ["/a"] }));
    await ledger.read("netops", "edge");
    rmSync(join(at, ".git", "objects"), { recursive: true });
    mkdirSync(join(at, ".git", "objects"));
    await ledger.write(record({ paths: ["/b"] }));
    const elsewhere = new StoredLedger(new GitStore(gitIn(clone()), "origin"));
    expect(await elsewhere.read("netops", "edge")).toMatchObject({ record: { paths: ["/b"] } });
  });
});

describe("the targets of an owner", () => {
  const stores: Record<string, () => LedgerStore> = {
    "a folder": () => new FolderStore(folder()),
    "a file": () => new BundleStore(fileDocument(join(folder(), "ledgers.json"))),
    "git without a remote": () => {
      const at = folder();
      execFileSync("git", ["init", "--quiet", at]);
      return new GitStore(gitIn(at), undefined);
    },
    "git with a remote": () => new GitStore(gitIn(bareWithClones()()), "origin"),
  };

  it.each(Object.entries(stores))("are listed without leases, notices and other owners: %s", async (_, open) => {
    const store = open();
    expect(await store.targets("netops")).toEqual([]);
    for (const target of ["edge", "a/b c", ":pauses"]) await store.write({ owner: "netops", target }, "{}", undefined);
    await store.write({ owner: "netops-2", target: "core" }, "{}", undefined);
    expect(await store.targets("netops")).toEqual(["a/b c", "edge"]);
  });
});
