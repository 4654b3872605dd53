import { describe, expect, it } from "vitest";
import { unpackRow } from "../../../src/agent/page/fleet-row.js";
import { staticPage } from "../../../src/agent/page/static-page.js";
import { staticView } from "../../../src/agent/page/static-view.js";
import { PlumblineError } from "../../../src/core/errors.js";
import { AUDIT_OUTCOMES, COMMIT, NOW } from "./sample.js";

const outcome = { target: "edge", kind: "panos", warnings: [] };
const input = { audit: AUDIT_OUTCOMES, commit: COMMIT, source: "/work/net", now: NOW };

describe("a static report", () => {
  it("shows a failure", () => {
    const error = new PlumblineError("device-unreachable", "edge does not answer", { next: "Look whether it is up." });
    const view = staticView({ ...input, passes: [{ mode: "enforce", drift: { ...outcome, error }, plan: undefined }] });
    expect(view.fleet.rows.map(unpackRow)).toMatchObject([{ name: "edge", state: "failed", note: "edge does not answer" }]);
    expect(view.targets.edge?.pass?.error).toMatchObject({ code: "device-unreachable", next: "Look whether it is up." });
  });

  it("runs only its own script, whatever the data contain", () => {
    const drift = { ...outcome, target: "</script><script>alert(1)</script>" };
    const view = staticView({ ...input, passes: [{ mode: "enforce", drift, plan: undefined }] });
    const page = staticPage({ page: "", icon: "", script: "start()", style: "a{}" }, view);
    expect(page).not.toContain("<script>alert");
    expect(page.match(/<script/g)).toHaveLength(2);
    expect(page).toMatch(/default-src 'none'; script-src 'sha256-[A-Za-z0-9+/=]+'; style-src 'sha256-/);
    const data = /id="data">(.*?)<\/script>/s.exec(page)?.[1] ?? "";
    expect(JSON.parse(data)).toEqual(JSON.parse(JSON.stringify(view)));
  });
});
