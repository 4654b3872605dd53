import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../../src/core/errors.js";
import { planTargets, reconcileTargets } from "../../../src/engine/reconcile.js";
import { exitCode, type TargetOutcome } from "../../../src/outcome/outcome.js";
import { passOptions } from "../../pass-options.js";
import { Cloudlet, TwoTargets } from "./cloudlet.js";

function cloud(config: string, xml?: string, owns = ""): TwoTargets {
  const two = new TwoTargets(new Cloudlet(xml)).file(
    "documents/edge.yaml",
    "target: edge\nscope: shared\nconfig: { address: {} }\nowns: { address: exclusive }\n",
  );
  two.file("documents/edge.yaml", "target: edge\nscope: shared\nconfig: { tag: { x: {} } }\n");
  return document(two, config, owns);
}

function document(two: TwoTargets, config: string, owns = ""): TwoTargets {
  return two.file("documents/cloud.yaml", `target: cloud\nscope: project\n${owns}config: ${config}\n`);
}

async function plan(two: TwoTargets): Promise<TargetOutcome> {
  const [outcome] = await planTargets(passOptions({ targets: ["cloud"] }, two.options), two.targets);
  if (outcome === undefined) throw new Error("no outcome");
  return outcome;
}

async function reconcile(two: TwoTargets): Promise<TargetOutcome> {
  const [outcome] = await reconcileTargets(passOptions({ targets: ["cloud"] }, two.options), two.write, two.targets);
  if (outcome === undefined) throw new Error("no outcome");
  return outcome;
}

function net(name: string, inside: string): string {
  return `<cloud><networks><entry name="${name}">${inside}</entry></networks><servers/><groups/></cloud>`;
}

const refusalsOf = ({ plan: planned }: TargetOutcome) => planned?.refusals.map(({ guard }) => guard);

describe("the owner's mark", () => {
  it("is set on created objects", async () => {
    const two = cloud("{ networks: { web: { cidr: 10.0.0.0/24 } } }");
    expect((await reconcile(two)).error).toBeUndefined();
    expect(two.cloud.xml).toContain("<owner>netops</owner>");
    expect(exitCode([await plan(two)])).toBe(0);
  });

  it("is missing on an object without an owner: refused without $adopt, set with it", async () => {
    const live = net("web", "<cidr>10.0.0.0/24</cidr>");
    expect(refusalsOf(await plan(cloud("{ networks: { web: { cidr: 10.0.0.0/24 } } }", live)))).toEqual(["adopt"]);
    const two = cloud("{ networks: { web: { $adopt: true, cidr: 10.0.0.0/24 } } }", live);
    expect((await reconcile(two)).error).toBeUndefined();
    expect(two.cloud.xml).toContain("<owner>netops</owner>");
  });

  it("of another owner is never overwritten, whatever the document contains", async () => {
    const live = net("web", "<cidr>10.0.0.0/24</cidr><owner>others</owner>");
    const outcome = await plan(cloud("{ networks: { web: { $adopt: true, cidr: 10.0.0.0/24, mtu: 9000 } } }", live));
    expect(refusalsOf(outcome)).toEqual(["adopt"]);
    expect(outcome.plan?.refusals[0]?.message).toContain('ownership mark of "others"');
  });

  it("that was removed is healed if the ledger has the object", async () => {
    const two = cloud("{ networks: { web: { cidr: 10.0.0.0/24 } } }");
    await reconcile(two);
    two.cloud.xml = two.cloud.xml.replace("<owner>netops</owner>", "");
    expect((await reconcile(two)).error).toBeUndefined();
    expect(two.cloud.xml).toContain("<owner>netops</owner>");
  });

  it("decides about deletions: neither the ledger nor an exclusive list is sufficient", async () => {
    const two = cloud("{ networks: { web: { cidr: 10.0.0.0/24 }, db: { cidr: 10.0.1.0/24 } } }");
    await reconcile(two);
    const unmarked = '<entry name="theirs"><cidr>10.0.9.0/24</cidr></entry><entry name="other"><owner>others</owner></entry></networks>';
    two.cloud.xml = two.cloud.xml.replace("</networks>", unmarked);
    document(two, "{ networks: { web: { cidr: 10.0.0.0/24 } } }", "owns: { networks: exclusive }\n");
    const [outcome] = await reconcileTargets(
      passOptions({ targets: ["cloud"], allow: new Map([["first-contact", "9"]]) }, two.options),
      two.write,
      two.targets,
    );
    expect(outcome?.error).toBeUndefined();
    expect(two.cloud.xml).not.toContain('name="db"');
    expect(two.cloud.xml).toContain('name="theirs"');
    expect(two.cloud.xml).toContain('name="other"');
  });

  it("missing on an undesired object keeps the object, and is reported", async () => {
    const two = cloud("{ networks: { web: { cidr: 10.0.0.0/24 }, db: { cidr: 10.0.1.0/24 } } }");
    await reconcile(two);
    two.cloud.xml = two.cloud.xml.replaceAll("<owner>netops</owner>", "<owner>others</owner>");
    document(two, "{ networks: { $entries: {} } }".replace("$entries: {}", "web: { $partial: true, mtu: 1500 }"));
    const outcome = await plan(two);
    expect(outcome.plan?.findings.map(({ kind, path }) => `${kind} ${path}`)).toContain("not-ours /cloud/networks/entry[@name='db']");
    expect(outcome.plan?.operations.filter(({ operation }) => operation.action === "delete")).toEqual([]);
  });

  it("is missing on several with one name: no further one is created", async () => {
    const twins =
      '<cloud><networks><entry name="web~1" shared-name="web"/><entry name="web~2" shared-name="web"/></networks><servers/><groups/></cloud>';
    const outcome = await plan(cloud("{ networks: { web: { cidr: 10.0.0.0/24 } } }", twins));
    expect(refusalsOf(outcome)).toEqual(["adopt"]);
    expect(outcome.plan?.refusals[0]?.message).toContain("web~1, web~2");
  });
});

describe("a part of an object of others ($partial)", () => {
  it("is never created, and refuses if the object does not exist", async () => {
    const outcome = await plan(cloud("{ networks: { web: { $partial: true, mtu: 9000 } } }"));
    expect(outcome.plan?.operations).toEqual([]);
    expect(outcome.plan?.findings).toMatchObject([{ kind: "place-missing", refuses: true }]);
    expect(exitCode([outcome])).toBe(3);
  });

  it("is managed without a mark", async () => {
    const two = cloud("{ networks: { web: { $partial: true, mtu: 9000 } } }", net("web", "<mtu>1500</mtu>"));
    expect((await reconcile(two)).error).toBeUndefined();
    expect(two.cloud.xml).toContain("<mtu>9000</mtu>");
    expect(two.cloud.xml).not.toContain("netops");
  });
});

describe("fields of a strict kind", () => {
  it("that the platform sets are no drift, and are compared once declared", async () => {
    const live = net("web", "<owner>netops</owner><cidr>10.0.0.0/24</cidr><mtu>1450</mtu><id>7</id>");
    expect((await plan(cloud("{ networks: { web: { cidr: 10.0.0.0/24 } } }", live))).plan?.changes).toEqual([]);
    const outcome = await plan(cloud("{ networks: { web: { cidr: 10.0.0.0/24, mtu: 9000 } } }", live));
    expect(outcome.plan?.changes.map(({ path }) => path.tag)).toEqual(["mtu"]);
  });

  it("that are fixed refuse, or with $replace recreate the object", async () => {
    const live = net("web", "<owner>netops</owner><cidr>10.0.0.0/24</cidr><mtu>1450</mtu>");
    const refused = await plan(cloud("{ networks: { web: { cidr: 10.0.5.0/24, mtu: 9000 } } }", live));
    expect(refusalsOf(refused)).toEqual(["replace"]);
    const two = cloud("{ networks: { web: { $replace: true, cidr: 10.0.5.0/24, mtu: 9000 } } }", live);
    const allowed = await plan(two);
    expect(refusalsOf(allowed)).toEqual([]);
    expect(allowed.plan?.operations.map(({ operation }) => `${operation.action} ${operation.at}`)).toEqual([
      "delete /cloud/networks/entry[@name='web']",
      "set /cloud/networks",
    ]);
    expect(allowed.plan?.findings.map(({ kind }) => kind)).toEqual(["made-again"]);
    expect((await reconcile(two)).error).toBeUndefined();
    expect(exitCode([await plan(two)])).toBe(0);
  });

  it("that are used once are part of the create and not compared later", async () => {
    const two = cloud("{ networks: { web: {} }, servers: { s: { network: web, note: hello } } }");
    expect((await reconcile(two)).error).toBeUndefined();
    two.cloud.xml = two.cloud.xml.replace("<note>hello</note>", "");
    expect(exitCode([await plan(two)])).toBe(0);
  });

  it("are created after their references", async () => {
    const two = cloud("{ servers: { s: { network: web } }, networks: { web: {} } }");
    await reconcile(two);
    expect(two.cloud.writes).toEqual(["set /cloud/networks", "set /cloud/servers"]);
  });

  it.each([
    ["{ networks: { web: { mtuu: 1 } } }", "unknown-field", 'Did you mean "mtu"?'],
    ["{ networks: { web: { id: 1 } } }", "read-only-field", "Delete the line"],
    ["{ networks: { web: { owner: me } } }", "read-only-field", "Delete the line"],
    ["{ networks: { web: { mtu: big } } }", "value-type", "an integer"],
    ["{ networks: { web: { cidr: 10.0.0.0 } } }", "value-type", "a network as ADDRESS/LENGTH"],
    ["{ groups: { g: { rules: [{ port: 70000 }] } } }", "value-type", "a port number"],
    ["{ groups: { g: { rules: [{ port: 1 }, { protocol: tcp, port: 1 }] } } }", "declared-twice", "Delete one"],
    ["{ groups: { g: { rules: { a: { port: 1 } } } } }", "wrong-shape", "sequence of maps"],
  ])("are errors with a place where they are wrong: %s", async (config, code, next) => {
    const failure = await plan(cloud(config)).catch((error: { errors: readonly PlumblineError[] }) => error.errors);
    expect(failure).toMatchObject([{ code, where: { line: 3 } }]);
    expect((failure as readonly PlumblineError[])[0]?.next).toContain(next);
  });
});

describe("entries without names", () => {
  const two = () => cloud("{ groups: { g: { rules: [{ port: 443, text: a }, { protocol: udp, port: 53 }] } } }");

  it("are compared by content, in any order", async () => {
    const world = two();
    await reconcile(world);
    expect(world.cloud.xml).toContain('<entry name="tcp 443">');
    const swapped = cloud(
      "{ groups: { g: { rules: [{ protocol: udp, port: 53 }, { protocol: tcp, port: 443, text: a }] } } }",
      world.cloud.xml,
    );
    expect((await plan(swapped)).plan?.changes).toEqual([]);
  });

  it("are added and deleted by content", async () => {
    const world = two();
    await reconcile(world);
    document(world, "{ groups: { g: { rules: [{ port: 443, text: a }, { port: 22 }] } } }");
    const outcome = await plan(world);
    expect(outcome.plan?.changes.map(({ kind, path }) => `${kind} ${path.name}`)).toEqual(["missing tcp 22", "extra udp 53"]);
  });
});

describe("independent objects", () => {
  it("are created although another failed; only dependent ones wait, and the next run completes the rest", async () => {
    const world = cloud("{ networks: { web: {}, db: {} }, servers: { s: { network: web }, t: { network: db } } }");
    world.cloud.refuse = (operation) => {
      if (operation.action === "set" && operation.element.children[0]?.name === "web")
        throw new PlumblineError("quota", "no more networks");
      if (operation.action === "set" && operation.element.name === "web") throw new PlumblineError("quota", "no more networks");
    };
    const outcome = await reconcile(world);
    expect(outcome.error).toMatchObject({ code: "partly-applied", severity: "partial" });
    expect(outcome.error?.message).toContain("no more networks");
    expect(outcome.error?.message).toContain("servers/entry[@name='s']");
    expect(world.cloud.xml).toContain('name="db"');
    expect(world.cloud.xml).toContain('name="t"');
    expect(world.cloud.xml).not.toContain('name="s"');
    world.cloud.refuse = () => {};
    expect((await reconcile(world)).error).toBeUndefined();
    expect(exitCode([await plan(world)])).toBe(0);
  });

  it("fail as an error, not as partly applied, if nothing was written", async () => {
    const world = cloud("{ networks: { web: {} } }");
    world.cloud.refuse = () => {
      throw new PlumblineError("quota", "no more networks");
    };
    expect((await reconcile(world)).error).toMatchObject({ severity: "error" });
  });
});
