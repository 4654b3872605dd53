import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { planTargets, reconcileTargets } from "../../../src/engine/reconcile.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { passOptions } from "../../pass-options.js";
import { Cloudlet, TwoTargets } from "./cloudlet.js";

const SERVER = "target: cloud\nscope: project\nconfig: { networks: { web: { cidr: 10.0.0.0/24 } }, servers: { s1: { network: web } } }\n";
const REFERS =
  "target: edge\nscope: shared\nconfig: { address: { s1: { ip-netmask: \"${cloud:servers/entry[@name='s1']/address}/32\" } } }\n";

function of(outcomes: readonly TargetOutcome[], target: string): TargetOutcome {
  const outcome = outcomes.find((each) => each.target === target);
  if (outcome === undefined) throw new Error(`no outcome of ${target}`);
  return outcome;
}

async function reconcile(two: TwoTargets): Promise<TargetOutcome[]> {
  return await reconcileTargets(two.options, two.write, two.targets);
}

describe("a value that this run creates first", () => {
  it("is known after apply in a plan, and filled in by reconcile in the same run", async () => {
    const two = new TwoTargets().file("documents/cloud.yaml", SERVER).file("documents/edge.yaml", REFERS);
    const planned = await planTargets(two.options, two.targets);
    expect(exitCode(planned)).toBe(2);
    expect(JSON.stringify(of(planned, "edge").plan?.operations)).toContain("${cloud:servers/entry[@name='s1']/address}/32");
    const outcomes = await reconcile(two);
    expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(two.edge).toContain("<ip-netmask>10.0.0.10/32</ip-netmask>");
    expect(exitCode(await reconcile(two))).toBe(0);
    expect(exitCode(await planTargets(two.options, two.targets))).toBe(0);
  });

  it("stops only its target if the first one cannot create it", async () => {
    const two = new TwoTargets().file("documents/cloud.yaml", SERVER).file("documents/edge.yaml", REFERS);
    two.cloud.refuse = ({ action, at }) => {
      if (action === "set" && at.toString() === "/cloud/servers") throw new PlumblineError("quota", "quota exceeded for servers");
    };
    const before = two.edge;
    const outcomes = await reconcile(two);
    expect(of(outcomes, "cloud").error).toMatchObject({ code: "partly-applied", severity: "partial" });
    expect(of(outcomes, "cloud").error?.message).toContain("quota exceeded for servers");
    expect(of(outcomes, "edge").error?.code).toBe("reference-nothing");
    expect(two.edge).toBe(before);
    expect(two.cloud.xml).toContain('<entry name="web">');
    expect(exitCode(outcomes)).toBe(4);
  });

  it("never appears if the run omits the first target", async () => {
    const two = new TwoTargets().file("documents/cloud.yaml", SERVER).file("documents/edge.yaml", REFERS);
    const outcomes = await reconcileTargets(passOptions({ targets: ["edge"] }, two.options), two.write, two.targets);
    expect(outcomes.map(({ target, error }) => [target, error?.code])).toEqual([["edge", "reference-nothing"]]);
  });

  it("is bound to the digest of a plan file by its expression", async () => {
    const two = new TwoTargets().file("documents/cloud.yaml", SERVER).file("documents/edge.yaml", REFERS);
    const planned = await planTargets(two.options, two.targets);
    const digests = new Map(planned.map(({ target, plan }) => [target, plan?.digest ?? ""]));
    const moved = new Map([...digests, ["edge", "0".repeat(64)]]);
    const refused = await reconcileTargets(two.options, { ...two.write, digests: moved }, two.targets);
    expect(of(refused, "edge").error?.code).toBe("plan-moved");
    const fresh = new TwoTargets().file("documents/cloud.yaml", SERVER).file("documents/edge.yaml", REFERS);
    const outcomes = await reconcileTargets(fresh.options, { ...fresh.write, digests }, fresh.targets);
    expect(outcomes.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(fresh.edge).toContain("10.0.0.10/32");
  });
});

it.each([
  ["the first target waits for another one", (text: string) => text],
  ["the documents of the first target are broken", (text: string) => text.replaceAll("s1", "s2")],
])("warns of a target that left the configuration if %s", async (_, change) => {
  const two = new TwoTargets().file("documents/cloud.yaml", SERVER).file("documents/edge.yaml", change(REFERS));
  const file = join(two.folder, "plumbline.yaml");
  const [head, cloud, edge] = readFileSync(file, "utf8").split(/(?=^ {2}(?:cloud|edge):)/m);
  two.file("plumbline.yaml", `${head}${edge}${cloud}`);
  await reconcile(two);
  const ledgers = JSON.parse(readFileSync(two.options.stores.ledger ?? "", "utf8"));
  const text = JSON.stringify(ledgers).replaceAll("cloud", "berlin");
  two.file("ledger.json", text);
  const outcomes = await reconcile(two);
  expect(outcomes.flatMap(({ warnings }) => warnings).filter((text) => text.includes("target berlin left the configuration"))).toHaveLength(
    1,
  );
});

describe("a live value", () => {
  const LIVE = new Cloudlet("<cloud><networks/><servers><entry name='old'><address>10.0.0.7</address></entry></servers><groups/></cloud>");

  it("is read if no document declares it", async () => {
    const two = new TwoTargets(LIVE)
      .file("documents/cloud.yaml", "target: cloud\nscope: project\nconfig: { networks: { web: { cidr: 10.0.0.0/24 } } }\n")
      .file("documents/edge.yaml", REFERS.replaceAll("s1", "old"));
    const planned = await planTargets(two.options, two.targets);
    expect(JSON.stringify(of(planned, "edge").plan?.operations)).toContain("10.0.0.7/32");
  });

  const NETWORK = "target: cloud\nscope: project\nconfig: { networks: { web: { cidr: 10.0.0.0/24 } } }\n";
  const forEach = (more: string) =>
    `target: edge\nscope: shared\nconfig:\n  address:\n    $entries:\n      - $forEach: { in: cloud, select: servers/entry, name: "srv-\${name}"${more} }\n        ip-netmask: "\${address}/32"\n`;

  it("of unmanaged objects gives no entries by $forEach, unless the document requests it", async () => {
    const two = new TwoTargets(LIVE).file("documents/cloud.yaml", NETWORK).file("documents/edge.yaml", forEach(""));
    await expect(planTargets(two.options, two.targets)).rejects.toMatchObject({
      errors: [{ code: "for-each-empty", next: expect.stringContaining("from: live") }],
    });
    two.file("documents/edge.yaml", forEach(", allowEmpty: true"));
    expect(of(await planTargets(two.options, two.targets), "edge").plan?.operations).toEqual([]);
  });

  it("of unmanaged objects is not used for a path without a name, once nothing is declared", async () => {
    const OPEN = REFERS.replace("entry[@name='s1']", "entry");
    const two = new TwoTargets(new Cloudlet(LIVE.xml)).file("documents/cloud.yaml", SERVER).file("documents/edge.yaml", OPEN);
    expect((await reconcile(two)).map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(two.edge).toContain("10.0.0.11/32");
    const before = two.edge;
    two.file("documents/cloud.yaml", NETWORK);
    const outcomes = await reconcile(two);
    expect(of(outcomes, "edge").error).toMatchObject({ code: "reference-nothing", message: expect.stringContaining("names no object") });
    expect(two.edge).toBe(before);
  });

  it("stops only its target if $forEach finds no entry with none", async () => {
    const two = new TwoTargets().file("documents/cloud.yaml", NETWORK).file("documents/edge.yaml", forEach(", from: live"));
    const outcomes = await reconcile(two);
    expect(of(outcomes, "edge").error?.code).toBe("for-each-empty");
    expect(of(outcomes, "cloud").error).toBeUndefined();
    expect(two.cloud.xml).toContain('name="web"');
  });

  it("gives entries by $forEach with from: live", async () => {
    const two = new TwoTargets(LIVE).file("documents/cloud.yaml", NETWORK).file("documents/edge.yaml", forEach(", from: live"));
    const planned = await planTargets(two.options, two.targets);
    expect(of(planned, "edge").error).toBeUndefined();
    const text = JSON.stringify(of(planned, "edge").plan?.operations);
    expect(text).toContain("srv-old");
    expect(text).toContain("10.0.0.7/32");
  });

  it("fails its own target if the other cannot be read, and no other", async () => {
    const two = new TwoTargets().file("documents/cloud.yaml", SERVER).file("documents/edge.yaml", REFERS);
    const down = new PlumblineError("unreachable", "connection refused");
    const readers = {
      ...two.targets,
      reader: (configuration: Parameters<typeof two.targets.reader>[0]) => {
        if (configuration.kind !== "memory") throw down;
        return two.targets.reader(configuration);
      },
    };
    const outcomes = await planTargets(two.options, readers);
    expect(of(outcomes, "edge").error?.code).toBe("reference-unreadable");
    expect(of(outcomes, "cloud").error?.code).toBe("unreachable");
    expect(exitCode(outcomes)).toBe(1);
  });

  it("is an error in the document if the other kind has no such field", async () => {
    const two = new TwoTargets().file("documents/cloud.yaml", SERVER).file("documents/edge.yaml", REFERS.replace("/address}", "/adress}"));
    await expect(planTargets(two.options, two.targets)).rejects.toMatchObject({ errors: [{ code: "reference-nothing" }] });
  });
});
