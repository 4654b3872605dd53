import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SecretValue } from "../../../src/core/secret.js";
import { readCheckout } from "../../../src/engine/checkout/checkout.js";
import type { TargetContext } from "../../../src/engine/pass/context.js";
import type { AccessAnswer, AccessDesign } from "../../../src/outcome/access.js";
import { proposeAccess } from "../../../src/pull-request/access/propose-access.js";
import type { CodeHost } from "../../../src/pull-request/host.js";
import { HOST_KINDS } from "../../../src/pull-request/host-kinds.js";
import { openHost } from "../../../src/pull-request/open-host.js";
import { RecordingServer } from "../recording-server.js";

const EXACT = "opens exactly the requested flows";
const WIDER = "**This edit opens more than the request.**";
const PARTLY = "opens only requested flows, and closes none. Other rules may still deny some of them.";

function design(more: Partial<AccessDesign> = {}): AccessDesign {
  return { summary: "add web-01 to source of rule web", isPartial: false, excess: [], notes: [], ...more };
}

const wider = design({ excess: [{}] as unknown as AccessDesign["excess"] });

function answer(from: string, ...designs: AccessDesign[]): AccessAnswer {
  const request = { from, to: "db-01", service: "tcp/22", application: "ssh", fromZone: "web", toZone: "db" };
  return { request, scope: "vsys1", state: "designed", now: undefined, designs, reasons: [], notes: [] };
}

describe.each(HOST_KINDS)("the pull request for access requests, on %s", (kind) => {
  let server: RecordingServer;
  let folder: string;
  let host: CodeHost;
  let root: string;

  const git = (...words: string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words], { encoding: "utf8" }).trim();

  beforeEach(async () => {
    server = await RecordingServer.start(kind);
    folder = mkdtempSync(join(tmpdir(), "plumbline-access-"));
    root = join(folder, "clone");
    execFileSync("git", ["init", "-q", "--bare", "--initial-branch=main", join(folder, "bare")]);
    execFileSync("git", ["clone", "-q", join(folder, "bare"), root], { stdio: "ignore" });
    git("config", "user.email", "t@example.net");
    git("config", "user.name", "t");
    writeFileSync(join(root, "edge.yaml"), "before\n");
    git("add", ".");
    git("commit", "-q", "-m", "first");
    git("push", "-q", "origin", "HEAD:main");
    const token = new SecretValue(server.token, "PLUMBLINE_TOKEN");
    host = openHost(
      { kind, api: server.api, repository: server.repository, token },
      { now: () => 0, sleep: async () => undefined, random: () => 0 },
    );
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  async function propose(answers: readonly AccessAnswer[], chosen = 1) {
    const context = { name: "edge", checkout: await readCheckout(root) } as unknown as TargetContext;
    const files = [{ file: "edge.yaml", before: "before\n", after: "after\n" }];
    return await proposeAccess({ context, result: { answers, files, faults: [] }, note: "CHG-1", chosen, host, base: "main" });
  }

  it("contains the request, the edit and the alternatives, and is opened once", async () => {
    const answers = [answer("web-01", design(), { ...wider, summary: "add web-01 to address group all" })];
    const { done, branch } = await propose(answers);
    expect(done).toBe("proposed");
    expect(git("ls-remote", "origin", `refs/heads/${branch}`)).not.toBe("");
    expect(server.pullRequests).toMatchObject([{ branch, base: "main", title: "Allow web-01 > db-01 tcp/22 ssh", state: "open" }]);
    const { body } = server.pullRequests[0] ?? { body: "" };
    expect(body).toContain("CHG-1");
    expect(body).toContain("`add web-01 to source of rule web`");
    expect(body).toContain("`add web-01 to address group all`: opens more than the request");
    expect((await propose(answers)).done).toBe("known");
    expect(server.pullRequests).toHaveLength(1);
  });

  it.each<[string, readonly AccessAnswer[], number, string]>([
    ["an exact design", [answer("web-01", design())], 1, EXACT],
    ["exact designs of several requests", [answer("web-01", design()), answer("web-02", design())], 1, EXACT],
    ["a chosen design that opens more", [answer("web-01", design(), wider)], 2, WIDER],
    ["a request of several that opens more", [answer("web-01", design()), answer("web-02", wider)], 1, WIDER],
    ["a request that another rule may still deny", [answer("web-01", design()), answer("web-02", design({ isPartial: true }))], 1, PARTLY],
  ])("states the effect of %s", async (_, answers, chosen, text) => {
    await propose(answers, chosen);
    const { body } = server.pullRequests[0] ?? { body: "" };
    expect(body).toContain(text);
    for (const other of [EXACT, WIDER, PARTLY]) if (other !== text) expect(body).not.toContain(other);
  });
});
