import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { PlumblineError, PlumblineErrors } from "../../src/core/errors.js";
import { SecretValue } from "../../src/core/secret.js";
import { find } from "../../src/core/tree/lookup.js";
import { secretOf } from "../../src/core/tree/secret-of.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { ANY_COMMAND, type CommandPolicy } from "../../src/desired/commands.js";
import type { TargetConfiguration } from "../../src/desired/configuration/configuration.js";
import { expiredIgnoreError } from "../../src/desired/ignores.js";
import { loadConfiguration, loadDesired } from "../../src/desired/load.js";
import type { LiveLookup, LoadedDesired } from "../../src/desired/loaded.js";
import type { DesiredNode } from "../../src/desired/model.js";
import { registryOf } from "../../src/engine/target-kind.js";
import { memoryKind } from "../../src/targets/memory/kind.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import type { PanosTargetConfiguration } from "../../src/targets/panos/settings.js";
import { kinds as everyKind } from "../../src/targets/registry.js";

const kinds = registryOf([panosKind, memoryKind]);
const isFirewall = (target: TargetConfiguration | undefined): target is PanosTargetConfiguration => target?.kind === "panos";
const CONFIGURATION = `format: 1
owner: netops
documents: [edge]
targets:
  edge: { kind: panos, url: "https://192.0.2.10", credentials: { username: "\${env:FW_USER}", password: "\${env:FW_PASSWORD}" } }
  cloud: { kind: memory, file: cloud.xml }
`;
const HEAD = "target: edge\nscope: vsys1\n";
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function state(files: Readonly<Record<string, string>>, configuration = CONFIGURATION): string {
  const folder = mkdtempSync(join(tmpdir(), "plumbline-desired-"));
  folders.push(folder);
  for (const [file, text] of Object.entries({ "plumbline.yaml": configuration, ...files })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

interface Loading {
  readonly environment?: Record<string, string>;
  readonly resolveSecrets?: boolean;
  readonly targets?: readonly string[];
  readonly live?: LiveLookup;
  readonly mayRun?: CommandPolicy;
}

function load(folder: string, options: Loading = {}): Promise<LoadedDesired> {
  return loadDesired(join(folder, "plumbline.yaml"), { environment: {}, kinds, today: "2026-03-01", resolveSecrets: false, ...options });
}

async function codes(loading: Promise<unknown>): Promise<string[]> {
  const error = await loading.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(PlumblineErrors);
  return (error as PlumblineErrors).errors.map(({ code }) => code);
}

function nodeAt(loaded: LoadedDesired, xpath: string): DesiredNode | undefined {
  const root = loaded.targets.get("edge")?.root;
  return root === undefined ? undefined : find(root, parsePath(xpath));
}

const VSYS = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";

describe("the configuration", () => {
  const environment = { FW_USER: "netops", FW_PASSWORD: "correct horse" };
  const read = (folder: string, more: object = {}) => loadConfiguration(join(folder, "plumbline.yaml"), { environment, kinds, ...more });

  it("gets defaults and credentials", async () => {
    const { targets, guards, owner } = await read(state({}));
    expect(owner).toBe("netops");
    expect(guards).toEqual({
      updates: 0.3,
      deletes: 0.3,
      from: 10,
      short: 0.5,
      emptyList: "refuse",
      deletesPerDay: undefined,
      targets: 10,
    });
    const edge = targets.get("edge");
    expect(edge).toMatchObject({
      kind: "panos",
      mode: "observe",
      http: "auto",
      keyIn: "parameter",
      takeoverAfter: 900,
      timeout: 60,
      rewriteLists: "never",
    });
    if (!isFirewall(edge)) throw new Error("no firewall");
    expect(edge.credentials.username instanceof SecretValue && edge.credentials.username.reveal()).toBe("netops");
    expect(String(edge.credentials.username)).toBe("${env:FW_USER}");
    expect(edge.credentials.password?.reveal()).toBe("correct horse");
    expect(inspect(edge) + JSON.stringify(edge)).not.toContain("correct horse");
  });

  it("can be overridden per target by the environment", async () => {
    const over = {
      PLUMBLINE_TARGET_EDGE_URL: "https://127.0.0.1:1",
      PLUMBLINE_TARGET_EDGE_KEY: "k3y",
      PLUMBLINE_TARGET_EDGE_CA: "/tmp/ca.pem",
    };
    const edge = (await read(state({}), { environment: over })).targets.get("edge");
    if (!isFirewall(edge)) throw new Error("no firewall");
    expect(edge.url).toBe("https://127.0.0.1:1");
    expect(edge.credentials.apiKey?.reveal()).toBe("k3y");
    expect(edge.credentials.password).toBeUndefined();
    expect(edge.tls.ca).toBe("/tmp/ca.pem");
    expect(inspect(edge) + JSON.stringify(edge)).not.toContain("k3y");
  });

  it("takes user and password from the environment without reading those of the file", async () => {
    const over = { PLUMBLINE_TARGET_EDGE_USER: "u", PLUMBLINE_TARGET_EDGE_PASSWORD: "p" };
    const edge = (await read(state({}), { environment: over })).targets.get("edge");
    if (!isFirewall(edge)) throw new Error("no firewall");
    expect([edge.credentials.username, edge.credentials.password?.reveal()]).toEqual(["u", "p"]);
  });

  it("keeps credentials symbolic if it may not read them, and never reveals them", async () => {
    for (const more of [{ resolveSecrets: false }, { targets: ["cloud"] }]) {
      const edge = (await read(state({}), { environment: {}, ...more })).targets.get("edge");
      if (!isFirewall(edge)) throw new Error("no firewall");
      expect(String(edge.credentials.username)).toBe("${env:FW_USER}");
      expect(() => edge.credentials.password?.reveal()).toThrow(/not resolved/);
    }
  });

  it("reads shares, durations and relative files", async () => {
    const text = CONFIGURATION.replace("edge: {", "edge: { takeoverAfter: 2h, tls: { ca: certs/ca.pem }, mode: enforce,");
    const folder = state({}, `${text}guards: { updates: 12.5%, deletes: 1, deletesPerDay: 7 }\n`);
    const { targets, guards } = await read(folder);
    expect(guards).toMatchObject({ updates: 0.125, deletes: 1, deletesPerDay: 7 });
    expect(targets.get("edge")).toMatchObject({ takeoverAfter: 7200, mode: "enforce", tls: { ca: join(folder, "certs/ca.pem") } });
  });

  it("reports a missing file", async () => {
    expect(await codes(loadConfiguration("/nowhere/plumbline.yaml", { environment: {}, kinds }))).toEqual(["configuration-not-found"]);
  });
});

describe("files", () => {
  it("may be links inside the desired state, but not to files outside", async () => {
    const folder = state({ "edge/a.yaml": `${HEAD}config: { tag: { a: {} } }\n`, "shared/b.yaml": `${HEAD}config: { tag: { b: {} } }\n` });
    symlinkSync(join(folder, "shared/b.yaml"), join(folder, "edge/b.yaml"));
    expect((await load(folder)).filesByTarget.get("edge")).toEqual(["edge/a.yaml", "edge/b.yaml"]);
    symlinkSync("/etc/hostname", join(folder, "edge/c.yaml"));
    symlinkSync("/etc", join(folder, "edge/sub"));
    symlinkSync(join(folder, "edge"), join(folder, "edge/again"));
    symlinkSync(join(folder, "nothing"), join(folder, "edge/d.yaml"));
    expect(await codes(load(folder))).toEqual(expect.arrayContaining(["file-leaves-repository", "file-unreadable"]));
  });

  it("have the same meaning for any split and any names", async () => {
    const entry = fc.record({
      name: fc.stringMatching(/^[a-z0-9]{1,6}$/),
      list: fc.constantFrom("address", "tag", "service"),
      file: fc.nat(4),
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(entry, { selector: ({ name, list }) => `${list}/${name}`, minLength: 1 }), async (entries) => {
        const files = new Map<string, string[]>();
        for (const { name, list, file } of entries) {
          const key = `edge/${file}.yaml`;
          files.set(key, [...(files.get(key) ?? []), `${list}/${name}`]);
        }
        const text = (rows: readonly string[]): string => {
          const lists = [...new Set(rows.map((row) => row.split("/")[0]))];
          const body = (list: string | undefined) =>
            rows.filter((row) => row.startsWith(`${list}/`)).map((row) => `${row.split("/")[1]}: { disable-override: no }`);
          return `${HEAD}config: { ${lists.map((list) => `${list}: { ${body(list).join(", ")} }`).join(", ")} }\n`;
        };
        const split = await load(state(Object.fromEntries([...files].map(([file, rows]) => [file, text(rows)]))));
        const whole = await load(state({ "edge/all.yaml": text(entries.map(({ name, list }) => `${list}/${name}`)) }));
        expect(contents(split)).toEqual(contents(whole));
      }),
      { numRuns: 40 },
    );
  });
});

/** Every path with its text, sorted, so that order does not matter. */
function contents(loaded: LoadedDesired): string[] {
  const lines: string[] = [];
  const visit = (node: DesiredNode, path: string): void => {
    const here = `${path}/${node.tag}${node.name === undefined ? "" : `[${node.name}]`}`;
    lines.push(`${here}=${node.text} ${node.prunes} ${node.declared}`);
    for (const child of node.children) visit(child, here);
  };
  for (const { root } of loaded.targets.values()) visit(root, "");
  return lines.sort();
}

describe("secrets", () => {
  const body = `${HEAD.replace("vsys1", "shared")}config: { server-profile: { radius: { r: { server: [ { name: s, secret: "\${env:S}" } ] } } } }\n`;
  const path = "/config/shared/server-profile/radius/entry[@name='r']/server/entry[@name='s']/secret";
  const environment = { S: "swordfish", FW_USER: "u", FW_PASSWORD: "p" };

  it("are typed values, and only their labels are shown", async () => {
    const loaded = await load(state({ "edge/a.yaml": body }), { environment, resolveSecrets: true });
    const node = nodeAt(loaded, path);
    expect(node?.text).toBe("${env:S}");
    expect(node === undefined ? undefined : secretOf(node)?.reveal()).toBe("swordfish");
    expect(inspect(loaded, { depth: 30 }) + JSON.stringify(node)).not.toContain("swordfish");
  });

  it("stay symbolic without permission, and for targets that are not selected", async () => {
    const folder = state({ "edge/a.yaml": body });
    for (const options of [{ resolveSecrets: false }, { resolveSecrets: true, targets: ["cloud"] }]) {
      const node = nodeAt(await load(folder, options), path);
      expect(() => (node === undefined ? undefined : secretOf(node)?.reveal())).toThrow(/not resolved/);
    }
  });

  it("are read from files and commands, without the final line break", async () => {
    const text = body.replace("${env:S}", "${file:key.txt}-${exec:cat key.txt}");
    const loaded = await load(state({ "edge/a.yaml": text, "key.txt": "k1\n" }), {
      environment: { ...environment, PATH: "/usr/bin:/bin" },
      resolveSecrets: true,
      mayRun: ANY_COMMAND,
    });
    const node = nodeAt(loaded, path);
    expect(node === undefined ? undefined : secretOf(node)?.reveal()).toBe("k1-k1");
  });
});

function answering(values: LiveLookup["values"]): LiveLookup {
  return { values, nodes: () => [] };
}

describe("live references", () => {
  const text = `${HEAD}config: { address: { a: { ip-netmask: "\${cloud:networks/cidr}" } } }\n`;
  const path = `${VSYS}/address/entry[@name='a']/ip-netmask`;

  it("call the hook if no desired tree has the value", async () => {
    const loaded = await load(state({ "edge/a.yaml": text }), { live: answering((target, xpath) => [`${target} ${xpath}`]) });
    expect(nodeAt(loaded, path)?.text).toBe("cloud networks/cidr");
  });

  it("stay expressions if only a later apply knows the value", async () => {
    const node = nodeAt(await load(state({ "edge/a.yaml": text }), { live: answering(() => "later") }), path);
    expect(node?.handling?.unresolved).toBe("${cloud:networks/cidr}");
    expect(node?.text).toBe("${cloud:networks/cidr}");
  });

  it("fail only their own target if they select nothing", async () => {
    for (const answer of [[], [""]]) {
      const loaded = await load(state({ "edge/a.yaml": text }), { live: answering(() => answer) });
      expect(loaded.broken.get("edge")?.map(({ code }) => code)).toEqual(["reference-nothing"]);
      expect([...loaded.broken.keys()]).toEqual(["edge"]);
    }
  });

  it("fail their target if the other one cannot be read", async () => {
    const failure = new PlumblineError("token-expired", "no token");
    const loaded = await load(state({ "edge/a.yaml": text }), { live: answering(() => failure) });
    expect(loaded.broken.get("edge")?.map(({ code }) => code)).toEqual(["reference-unreadable"]);
  });

  it("are an error without a hook", async () => {
    expect(await codes(load(state({ "edge/a.yaml": text })))).toEqual(["reference-nothing"]);
  });
});

describe("expired ignores", () => {
  it("do not stop a load, and are errors with a position in validate", async () => {
    const text = `${HEAD}ignore:\n  - { path: tag, owner: alice, reason: why, until: 2026-02-28 }\nconfig: {}\n`;
    const loaded = await load(state({ "edge/a.yaml": text }));
    const [expired] = loaded.expiredIgnores;
    const desired = loaded.targets.get("edge");
    if (expired === undefined || desired === undefined) throw new Error("nothing expired");
    const error = expiredIgnoreError(expired, desired);
    expect(error.code).toBe("ignore-expired");
    expect(error.where).toEqual({ file: "edge/a.yaml", line: 4, column: 13, target: "edge" });
  });
});

describe("the example", () => {
  it("loads without a warning", async () => {
    const file = new URL("../../desired-state/plumbline.yaml", import.meta.url).pathname;
    const loaded = await loadDesired(file, { environment: {}, kinds: everyKind, today: "2026-03-01", resolveSecrets: false });
    expect(loaded.warnings).toEqual([]);
    expect(loaded.targets.size).toBeGreaterThan(0);
  });
});
