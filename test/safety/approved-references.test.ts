import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ANY_COMMAND } from "../../src/desired/commands.js";
import { SecretReader } from "../../src/desired/secrets.js";
import type { SecretReference } from "../../src/desired/template.js";

// The author of a pull request chooses its references. The target branch lists the allowed ones.

let root: string;
let checkout: string;
let approved: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "plumbline-approved-"));
  checkout = join(root, "checkout");
  mkdirSync(join(checkout, ".git"), { recursive: true });
  mkdirSync(join(root, "run"));
  for (const name of ["run/password", "other", "checkout/inside"]) writeFileSync(join(root, name), `text of ${name}\n`);
  symlinkSync(join(root, "other"), join(checkout, "link"));
  approved = join(root, "approved.yaml");
  list(["env:FW_*", `file:${root}/run/*`, "file:inside", "file:link", "exec:echo listed"]);
});
afterEach(() => rmSync(root, { recursive: true }));

function list(references: readonly string[] | undefined): void {
  writeFileSync(approved, JSON.stringify({ format: 1, references }));
}

async function read(kind: SecretReference["kind"], argument: string, setting: string | undefined = approved): Promise<string> {
  const environment = { FW_PASSWORD: "word", TOKEN: "token", PATH: process.env.PATH, PLUMBLINE_APPROVED: setting };
  const reader = new SecretReader(environment, checkout, ANY_COMMAND);
  const reading = reader.read({ kind, argument, text: `\${${kind}:${argument}}` }, {});
  return await reading.catch((error: { code: string; message: string }) => error.code);
}

describe("with a list in the approved file", () => {
  it("reads listed references, also files outside the checkout", async () => {
    expect(await read("env", "FW_PASSWORD")).toBe("word");
    expect(await read("file", join(root, "run/password"))).toBe("text of run/password");
    expect(await read("file", "../run/password")).toBe("text of run/password");
    expect(await read("file", "inside")).toBe("text of checkout/inside");
    expect(await read("exec", "echo listed")).toBe("listed");
  });

  it("queries secret stores only for listed references", async () => {
    list(["vault:secret/data/fw#*", "credential:fw_*", `sops:${root}/run/*#fw`, "sops:inside.yaml#fw"]);
    symlinkSync(join(root, "other"), join(checkout, "link.yaml"));
    const listed = [
      ["vault", "secret/data/fw#password"],
      ["credential", "fw_1"],
      ["sops", join(root, "run/s.yaml#fw")],
      ["sops", "inside.yaml#fw"],
    ] as const;
    for (const [kind, argument] of listed) expect(await read(kind, argument)).toBe("secret-unavailable");
    list(["vault:secret/data/fw#*", "credential:fw_*", `sops:${root}/run/*#fw`, "sops:link.yaml#*"]);
    const others = [
      ["vault", "secret/data/other#password"],
      ["vault", "secret/data/fw/../other#password"],
      ["credential", "other"],
      ["sops", join(root, "run/s.yaml#other")],
      ["sops", join(root, "run/../other.yaml#fw")],
      ["sops", "link.yaml#fw"],
    ] as const;
    for (const [kind, argument] of others) expect(await read(kind, argument)).toBe("reference-not-approved");
  });

  it.each([
    ["a variable", "env", "TOKEN"],
    ["the environment of the runner", "file", "/proc/self/environ"],
    ["a file by a way that begins as a listed one", "file", "run/../../other"],
    ["a file of the checkout that is a link out of it", "file", "link"],
    ["another command", "exec", "echo listed; cat /etc/passwd"],
  ] as const)("does not read %s that is not listed", async (_, kind, argument) => {
    expect(await read(kind, argument)).toBe("reference-not-approved");
  });

  it("reads nothing if the list is empty", async () => {
    list([]);
    expect(await read("env", "FW_PASSWORD")).toBe("reference-not-approved");
  });
});

it("is not limited if the approved file has no list, or none is named", async () => {
  expect(await read("env", "TOKEN", "")).toBe("token");
  list(undefined);
  expect(await read("env", "TOKEN")).toBe("token");
});

it("ignores a list that a commit can write, a missing one, and an invalid one", async () => {
  writeFileSync(join(checkout, "list.yaml"), "references: ['**']");
  expect(await read("env", "TOKEN", join(checkout, "list.yaml"))).toBe("approved-unreadable");
  expect(await read("env", "TOKEN", "approved.yaml")).toBe("approved-unreadable");
  expect(await read("env", "TOKEN", join(root, "none.yaml"))).toBe("approved-unreadable");
  writeFileSync(approved, "references: all");
  expect(await read("env", "TOKEN")).toBe("approved-unreadable");
});

it.each([
  ["is the text of a symbolic link, as git shows it", "../elsewhere/plumbline.yaml"],
  ["is a list", "- references: []\n"],
  ["is a number", "7\n"],
  ["is empty", ""],
  ["has comments only", "# references: []\n"],
  ["is null", "~\n"],
])("refuses an approved file that %s: it is not a map", async (_, text) => {
  writeFileSync(approved, text);
  expect(await read("env", "TOKEN")).toBe("approved-unreadable");
});

it("refuses an approved file that is a FIFO, without waiting", async () => {
  rmSync(approved);
  execFileSync("mkfifo", [approved]);
  expect(await read("env", "TOKEN")).toBe("approved-unreadable");
});

it.each([
  ["is no YAML to its end", "x: {\nreferences: []\n"],
  ["says the same key twice", "references: []\nreferences: ['**']\n"],
])("believes no list of a file that %s: half of it may allow what the whole does not", async (_, text) => {
  writeFileSync(approved, text);
  expect(await read("env", "TOKEN")).toBe("approved-unreadable");
});
