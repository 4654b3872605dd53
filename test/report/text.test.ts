import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import { SourceMap } from "../../src/desired/source-map.js";
import { coloured, plain, showMarks } from "../../src/report/style.js";
import { renderText } from "../../src/report/text.js";
import { changes, outcome, planOf, rules } from "./outcomes.js";

const none = planOf({ changes: [], operations: [] });

describe("renderText", () => {
  it("groups a plan by list, one line per short change, with the declaring file", () => {
    expect(renderText("plan", [outcome({ plan: planOf() })], plain)).toMatchSnapshot();
  });

  it('shows author and time of drift, and "unknown" if there is no evidence', () => {
    const [missing, extra] = changes;
    if (missing === undefined || extra === undefined) throw new Error("no changes");
    const items = [
      { change: missing, attribution: undefined },
      { change: extra, attribution: { admin: "mkovacs", time: "2026/11/20 22:14:03" } },
    ];
    const text = renderText(
      "drift",
      [outcome({ drift: { items, findings: [], pending: [{ owner: "mkovacs", xpath: "/config", action: "SET" }] } })],
      plain,
    );
    expect(text).toContain("by mkovacs at 2026/11/20 22:14:03");
    expect(text).toContain("by unknown");
    expect(text).toContain("1 missing · 1 extra");
    expect(text).toContain("uncommitted 1 change by mkovacs");
  });

  it("explains once why nothing is deleted", () => {
    const missing = renderText("plan", [outcome({ plan: planOf({ deletionsUnknown: true }), lacksLedger: "missing" })], plain);
    expect(missing).toContain("No ledger yet: nothing is deleted until you run `plumbline adopt`");
    const refusal = { guard: "other-device", message: "The ledger belongs to 1, but 2 answers.", path: undefined, allow: undefined };
    const other = renderText("plan", [outcome({ plan: planOf({ deletionsUnknown: true, refusals: [refusal] }) })], plain);
    expect(other).toContain("The ledger belongs to 1, but 2 answers.");
    expect(other).not.toContain("No ledger yet");
    const unreadable = renderText("plan", [outcome({ plan: planOf({ deletionsUnknown: true }), lacksLedger: "unreadable" })], plain);
    expect(unreadable).toContain("Without the ledger, only unmanaged entries of exclusive lists are deleted.");
    const applied = { operations: 1, requests: 1, commit: "committed" as const, job: "7", lines: [], proven: true };
    const written = renderText("reconcile", [outcome({ plan: planOf({ deletionsUnknown: true }), applied })], plain);
    expect(written).not.toContain("No ledger yet");
  });

  it("never prints a secret", () => {
    const text = renderText("plan", [outcome({ plan: planOf() })], plain);
    expect(text).not.toContain("hunter2");
    expect(text).toContain("${env:PSK}");
  });

  it("shows the first refusals and findings of a kind, and counts the others", () => {
    const refusals = Array.from({ length: 115 }, (_, index) => {
      return { guard: "referrers", message: `still named in place ${index}`, path: rules.entry(`r${index}`), allow: undefined };
    });
    const text = renderText("plan", [outcome({ plan: planOf({ refusals }) })], plain);
    expect(text.match(/still named in place/g)).toHaveLength(4);
    expect(text).toContain("referrers  111 more like it (--format json has them all)");
    const few = renderText("plan", [outcome({ plan: planOf({ refusals: refusals.slice(0, 5) }) })], plain);
    expect(few.match(/still named in place/g)).toHaveLength(5);
  });

  it("marks an observed target as not written", () => {
    const watched = outcome({ plan: planOf(), mode: "observe" });
    expect(renderText("plan", [watched], plain)).toContain("mode observe: reconcile does not write it");
    expect(renderText("reconcile", [watched], plain)).toContain("mode observe: not written");
    expect(renderText("plan", [outcome({ plan: planOf(), mode: "enforce" })], plain)).not.toContain("mode");
  });

  it("shows a refusal, its place and the flag that overrides it", () => {
    const refusals = [{ guard: "deletes", message: "4 of 10 entries would go", path: rules, allow: "--allow deletes=40%" }];
    const text = renderText("plan", [outcome({ plan: planOf({ refusals }) })], plain);
    expect(text).toContain("refused: deletes");
    expect(text).toContain("4 of 10 entries would go");
    expect(text).toContain(`at ${rules}`);
    expect(text).toContain("--allow deletes=40%");
  });

  it("prints an error as problem, place and next step", () => {
    const error = new PlumblineError("tls-untrusted", "The certificate is not trusted.", {
      where: { target: "edge" },
      next: "Set tls.ca.",
    });
    expect(renderText("plan", [outcome({ error })], plain)).toMatch(
      /error The certificate is not trusted. \[tls-untrusted\]\n {4}at target edge\n {4}Set tls.ca.\n$/,
    );
  });

  it("is one line without changes", () => {
    expect(renderText("plan", [outcome({ plan: none })], plain)).toBe("edge (PA-VM 0123, standalone)  no changes\n");
  });

  it("shows equal changes of several targets once, and others separately", () => {
    const plan = planOf();
    const others = ["b", "c", "d", "e", "f", "g", "h"].map((target) => outcome({ target, plan: { ...plan, digest: target.repeat(64) } }));
    const one = renderText("plan", [outcome({ plan })], plain);
    const all = renderText("plan", [outcome({ plan }), ...others, outcome({ target: "z", plan: none })], plain);
    const [title, ...body] = one.trimEnd().split("\n");
    expect(all).toBe(
      [
        `edge, b, c, d, e, f and 2 more: 8 targets  ${title?.split("  ").at(-1)}`,
        ...body.map((line) => line.replace(/ · digest .*/, " on each")),
        "",
        "z (PA-VM 0123, standalone)  no changes",
        "",
      ].join("\n"),
    );
  });

  it("shows equal changes of 200 targets once, also if each has a folder of its own", () => {
    const names = Array.from({ length: 200 }, (_, at) => `fw-${at}`);
    const ofTarget = (target: string) => {
      const own = new SourceMap();
      own.add(`sites/${target}/rules.yaml`, "one\ntwo\nthree: 3\n");
      return outcome({ target, identity: undefined, sources: own, plan: { ...planOf(), digest: target.padEnd(64, "0") } });
    };
    const all = renderText("plan", names.map(ofTarget), plain);
    expect(all.match(/sites\/[^:]*/g)).toEqual(renderText("plan", names.slice(0, 2).map(ofTarget), plain).match(/sites\/[^:]*/g));
    expect(all).toContain("sites/TARGET/rules.yaml:");
    expect(all).toMatch(/^fw-0, fw-1, fw-2, fw-3, fw-4, fw-5 and 194 more: 200 targets {2}/);
    expect(all.split("\n").length).toBeLessThan(60);
    expect(renderText("plan", [ofTarget("fw-7")], plain)).toContain("sites/fw-7/rules.yaml:");
    const moved = { ...ofTarget("fw-9"), target: "other" };
    expect(renderText("plan", [ofTarget("fw-7"), moved], plain)).toContain("sites/fw-9/rules.yaml:");
  });

  it("counts targets without changes if there are many, and names a few", () => {
    const quiet = (...names: string[]) =>
      renderText(
        "plan",
        names.map((target) => outcome({ target, plan: none })),
        plain,
      );
    expect(quiet("a", "b", "c")).toBe(["a", "b", "c"].map((name) => `${name} (PA-VM 0123, standalone)  no changes\n`).join("\n"));
    expect(quiet("a", "b", "c", "d")).toBe("a, b, c, d: 4 targets  no changes\n");
  });

  it("has the same text with and without colour", () => {
    const painted = renderText("plan", [outcome({ plan: planOf() })], coloured);
    expect(painted).not.toBe(renderText("plan", [outcome({ plan: planOf() })], plain));
    expect(showMarks(painted).replace(/\x1b\[\d+m/g, "")).toBe(renderText("plan", [outcome({ plan: planOf() })], plain));
  });
});
