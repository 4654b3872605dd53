import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { describe, expect, it } from "vitest";

// A commit can name files and URLs. Files go through src/core/regular-file.ts, which refuses FIFOs, devices and kernel files and limits the
// number of bytes; replies go through src/http/body.ts, which limits them too. This test lists every other place that reads a file or sends
// a request, with the reason why no commit can name it.

/** Functions that read a file or send a request, by the module that exports them. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  "node:fs": ["readFile", "readFileSync", "createReadStream", "open", "openSync", "openAsBlob", "promises"],
  "node:fs/promises": ["readFile", "open"],
  "node:http": ["request", "get"],
  "node:https": ["request", "get"],
  "node:http2": ["connect"],
  undici: ["request", "fetch", "stream", "pipeline", "connect", "upgrade", "Pool", "Agent", "Client", "ProxyAgent", "EventSource"],
};
const GLOBALS = ["fetch", "EventSource", "WebSocket"];

interface Allowed {
  /** Calls in the file, in alphabetical order. */
  readonly calls: readonly string[];
  readonly why: string;
}

const ALLOWED: Readonly<Record<string, Allowed>> = {
  "src/core/regular-file.ts": { calls: ["open", "openSync"], why: "the shared function for files" },
  "src/core/atomic-file.ts": { calls: ["open", "open"], why: "opens a temporary file and a folder to write" },
  "src/core/environment-proxy.ts": { calls: ["Agent", "Pool", "ProxyAgent"], why: "connects to the proxy of the environment" },
  "src/core/file-hash.ts": { calls: ["createReadStream"], why: "hashes a file named on the command line; prints its digest only" },
  "src/core/file-lock.ts": { calls: ["open", "readFile"], why: "creates a lock file and reads what it wrote there" },
  "src/core/package-file.ts": { calls: ["readFileSync"], why: "reads files of the program itself" },
  "src/agent/store/sqlite.ts": { calls: ["openSync"], why: "creates the database that the operator names" },
  "src/cli/commands/import.ts": { calls: ["readFile"], why: "--xml FILE of the command line, which can be a pipe" },
  "src/cli/commands/lab.ts": { calls: ["readFile"], why: "--flows FILE of the command line" },
  "src/engine/absences.ts": { calls: ["readFile"], why: "state folder" },
  "src/engine/apply/journal.ts": { calls: ["open", "readFile"], why: "state folder" },
  "src/engine/ledger/document.ts": { calls: ["request"], why: "bounded by readBody and a deadline" },
  "src/engine/ledger/fingerprints.ts": { calls: ["open", "readFile"], why: "state folder" },
  "src/engine/lease/unchanged-since.ts": { calls: ["readFile"], why: "state folder" },
  "src/engine/pass/machine.ts": { calls: ["readFileSync"], why: "identifies the machine by a fixed file of the kernel" },
  "src/engine/target-memory.ts": { calls: ["readFile"], why: "state folder" },
  "src/engine/watch/probe-network.ts": { calls: ["Agent", "request"], why: "reads the status and no body" },
  "src/http/dependencies.ts": { calls: ["Pool"], why: "connections of src/http/connection.ts, which uses readBody" },
  "src/http/post.ts": { calls: ["request"], why: "reads the status and discards the body" },
  "src/lab/panos/start.ts": { calls: ["readFile"], why: "the lab's own configuration from the command line" },
  "src/pull-request/api.ts": { calls: ["request", "request"], why: "bounded by readBody" },
  "src/desired/secret-stores/vault.ts": { calls: ["Agent", "ProxyAgent", "request"], why: "bounded by maxResponseSize and a deadline" },
  "src/verdict/allotment.ts": { calls: ["open", "readFile"], why: "state folder" },
  "src/verdict/cache.ts": { calls: ["readFile"], why: "state folder" },
  "src/verdict/inputs.ts": { calls: ["readFile"], why: "--list FILE of the command line, which can be /dev/stdin" },
};

/** Parsers of JSON that cannot come from a file that a commit names. All others use `readJson`, whose errors quote no content. */
const PARSES_JSON: Readonly<Record<string, string>> = {
  "src/core/json/read-json.ts": "the shared function",
  "src/core/tree/shape-file.ts": "a file of the program",
  "src/core/version.ts": "a file of the program",
  "src/targets/panos/shape.ts": "a file of the program",
  "src/agent/page/request-auth.ts": "a request of the page; the error is not shown",
  "src/agent/page/refused-plan.ts": "the agent's store",
  "src/agent/page/sessions.ts": "a cookie that the agent signed",
  "src/agent/page/target-view.ts": "the agent's store",
  "src/agent/rollouts.ts": "the agent's store",
  "src/agent/shared/saved-state.ts": "the agent's store",
  "src/agent/store/drift.ts": "the agent's store",
  "src/agent/store/passes.ts": "the agent's store",
  "src/agent/store/plans.ts": "the agent's store",
  "src/agent/store/rows.ts": "the agent's store",
  "src/agent/store/traffic-codec.ts": "the agent's store",
  "src/agent/store/traffic.ts": "the agent's store",
  "src/cli/logger.ts": "a line that the logger wrote itself",
  "src/cli/quickstart.ts": "the lab's reply",
  "src/engine/absences.ts": "state folder; the error is not shown",
  "src/engine/apply/journal.ts": "state folder; the error is not shown",
  "src/engine/lease/unchanged-since.ts": "state folder; the error is not shown",
  "src/engine/ledger/rows-codec.ts": "a key that the encoder wrote itself",
  "src/lab/openstack/faults/meet.ts": "the lab",
  "src/lab/openstack/http/control.ts": "the lab",
  "src/lab/openstack/http/listen.ts": "the lab",
  "src/lab/panos/http/control.ts": "the lab",
  "src/lab/verdict/serve.ts": "the lab",
  "src/verdict/allotment.ts": "state folder; the error is not shown",
  "src/verdict/cache.ts": "state folder; the error is not shown",
};

interface Found {
  readonly calls: readonly string[];
  readonly parsesJson: boolean;
}

/**
 * Finds uses of the functions above: calls, also under another name, by a namespace or through a dynamic import, and
 * functions that are passed on. esbuild removes comments, types and unused imports.
 */
function readsIn(text: string): Found {
  const { code } = transformSync(text, { loader: "ts", format: "esm", target: "node20" });
  const calls: string[] = [];
  const modules = Object.keys(READERS).join("|");
  const rest = code.replaceAll(
    new RegExp(`import ([^;]*?) from "(${modules})";|(?:const|let) ([^=]*?) = (?:await import|import|require)\\("(${modules})"\\)`, "g"),
    "",
  );
  const bindings = [
    ...code.matchAll(new RegExp(`import ([^;]*?) from "(${modules})";`, "g")),
    ...code.matchAll(new RegExp(`(?:const|let) ([^=]*?) = (?:await import|import|require)\\("(${modules})"\\)`, "g")),
  ];
  for (const [, bound = "", module = ""] of bindings) {
    const readers = READERS[module] ?? [];
    const named = /\{([^}]*)\}/.exec(bound)?.[1] ?? "";
    for (const each of named.split(",")) {
      const [name = "", local = name] = each.trim().split(/\s+as\s+|\s*:\s*/);
      if (readers.includes(name)) calls.push(...usesOf(local, rest).map(() => name));
    }
    const [namespace] = /^\w+|(?<=\* as )\w+/.exec(bound.trim()) ?? [];
    if (namespace !== undefined) for (const name of readers) calls.push(...usesOf(`${namespace}\\.${name}`, rest).map(() => name));
  }
  for (const module of modules.split("|"))
    if (rest.includes(`import("${module}")`) || rest.includes(`require("${module}")`)) calls.push(`import("${module}")`);
  for (const name of GLOBALS) {
    calls.push(...[...code.matchAll(new RegExp(`(?<![.\\w$#]|async )(?:globalThis\\.)?${name}\\((?![^)]*\\) \\{)`, "g"))].map(() => name));
  }
  return { calls: calls.sort(), parsesJson: /\bJSON\.parse\b/.test(code) };
}

function usesOf(name: string, code: string): readonly unknown[] {
  return [...code.matchAll(new RegExp(`(?<![.\\w$#"])${name}\\b(?!["\\w$]|:)`, "g"))];
}

const files = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => join("src", file))
  .sort();
const found = new Map(files.map((file) => [file, readsIn(readFileSync(file, "utf8"))]));

describe("a file or a URL that a commit names", () => {
  it("is read by the shared functions, or in a place that is listed with its reason", () => {
    const reading = Object.fromEntries([...found].filter(([, { calls }]) => calls.length > 0).map(([file, { calls }]) => [file, calls]));
    expect(reading).toEqual(Object.fromEntries(Object.entries(ALLOWED).map(([file, { calls }]) => [file, calls])));
  });

  it("is detected for any way of reading", () => {
    for (const text of [
      'import { readFile as get } from "node:fs/promises"; get("x");',
      'import fs from "node:fs"; fs.readFileSync("x");',
      'import * as fs from "node:fs/promises"; fs.open("x");',
      'const { request } = await import("undici"); request("x");',
      'const undici = await import("undici"); undici.fetch("x");',
      'import { readFile } from "node:fs/promises"; files.map(readFile);',
      'import { readFile } from "node:fs/promises"; const get = readFile;',
      'import { Agent } from "undici"; new Agent();',
      'fetch("x");',
      'globalThis.fetch("x");',
    ])
      expect(readsIn(text).calls.length, text).toBe(1);
    expect(readsIn('import type { Pool } from "undici"; store.open("x"); client.request("x");').calls).toEqual([]);
  });
});

describe("JSON of a file that a commit names", () => {
  it("is parsed by readJson, or in a place that is listed with its reason", () => {
    const parsing = [...found].filter(([, { parsesJson }]) => parsesJson).map(([file]) => file);
    expect(parsing).toEqual(Object.keys(PARSES_JSON).sort());
  });
});
