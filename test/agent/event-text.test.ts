import { describe, expect, it } from "vitest";
import { eventText } from "../../src/agent/event-text.js";
import type { AgentEvent, KnownDrift } from "../../src/agent/events.js";
import { PlumblineError } from "../../src/core/errors.js";
import { SecretValue } from "../../src/core/secret.js";
import { TreeNode } from "../../src/core/tree/node.js";
import { parsePath } from "../../src/core/tree/xpath/xpath.js";
import { DesiredNode } from "../../src/desired/model.js";
import { plain } from "../../src/report/style.js";

const time = Date.UTC(2026, 0, 5, 12, 0, 0);
type Timeless<Event> = Event extends unknown ? Omit<Event, "time"> : never;
const say = (event: Timeless<AgentEvent>) => eventText({ ...event, time } as AgentEvent, plain);
const facts = { pass: 1, target: "edge", trigger: "timer", commit: "c" } as const;

describe("messages about events", () => {
  it("contain difference, author and time", () => {
    const path = parsePath("/config/shared/address/entry[@name='a']/ip-netmask");
    const after = new DesiredNode("ip-netmask", undefined, "10.0.0.1", [], { origin: -1, prunes: true, declared: true });
    const change = { kind: "differs", path, before: new TreeNode("ip-netmask", undefined, "10.9.9.9", []), after } as const;
    const item = { change, attribution: { admin: "alice", time: "2026/01/05 11:00:00" } };
    const text = say({ type: "drift-appeared", ...facts, key: "k", item, firstSeen: time - 3 * 60_000 });
    expect(text).toBe(
      `12:00:00  edge  drift: ${path}  10.9.9.9 (declared 10.0.0.1), by alice at 2026/01/05 11:00:00, first seen 3 min ago`,
    );
  });

  it("show the file and the line of the declared value, if they are known", () => {
    const path = parsePath("/config/shared/address/entry[@name='web']/ip-netmask");
    const after = new DesiredNode("ip-netmask", undefined, "10.0.0.1", [], { origin: 5, prunes: true, declared: true });
    const declaredAt = { file: "objects.yaml", line: 7, column: 3 };
    const at = (change: KnownDrift["item"]["change"]) =>
      say({
        type: "drift-appeared",
        ...facts,
        key: "k",
        item: { change, attribution: { admin: "alice", time: undefined } },
        firstSeen: time,
        declaredAt,
      });
    const before = new TreeNode("ip-netmask", undefined, "10.9.9.9", []);
    expect(at({ kind: "differs", path, before, after })).toContain("10.9.9.9 (declared 10.0.0.1 at objects.yaml:7), by alice");
    expect(at({ kind: "missing", path, after })).toContain("is missing (declared at objects.yaml:7), by alice");
  });

  it("never show a secret", () => {
    const path = parsePath("/config/mgt-config/users/entry[@name='x']/phash");
    const secret = new SecretValue("hunter2", "${env:X}");
    const after = new DesiredNode("phash", undefined, "${env:X}", [], { origin: -1, prunes: true, declared: true, handling: { secret } });
    const change = { kind: "differs", path, before: new TreeNode("phash", undefined, "«stored»", []), after } as const;
    expect(say({ type: "drift-appeared", ...facts, key: "k", item: { change, attribution: undefined }, firstSeen: time })).not.toContain(
      "hunter2",
    );
  });

  it("contain the reason why a commit is not used, and the active one", () => {
    const error = new PlumblineError("commit-unsigned", "Commit abc is not signed.");
    expect(say({ type: "commit-refused", commit: "abc", inForce: "0123456789abcdef", error })).toContain("0123456789ab stays active");
    expect(say({ type: "commit-broken", commit: "abc", inForce: undefined, errors: [error] })).toContain("No commit is active");
  });

  it("show the file and the line of an error, if they are known", () => {
    const error = new PlumblineError("wrong-shape", "This is no map.", { where: { file: "docs/a.yaml", line: 5, column: 3 } });
    const elsewhere = new PlumblineError("wrong-shape", "This is no list.", { where: { file: "docs/b.yaml" } });
    const text = say({ type: "commit-broken", commit: "abc", inForce: undefined, errors: [error, elsewhere] });
    expect(text).toContain("This is no map. (docs/a.yaml:5)");
    expect(text).toMatch(/This is no list\.$/m);
  });

  it("omit events for machines", () => {
    expect(say({ type: "source-fetched", commit: "c", moved: false })).toBeUndefined();
    expect(say({ type: "pass-started", ...facts })).toBeUndefined();
  });
});
