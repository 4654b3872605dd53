import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AccessQuestion } from "../../../src/agent/access-process.js";
import type { AgentEvent } from "../../../src/agent/events.js";
import type { AccessTargets, AccessView } from "../../../src/agent/page/view.js";
import { PlumblineError } from "../../../src/core/errors.js";
import { SecretValue } from "../../../src/core/secret.js";
import { answered } from "./access-sample.js";
import { PageWorld, TOKEN } from "./world.js";

const NAMES = ["asker", "edge-asker", "viewer", "operator"] as const;
type Name = (typeof NAMES)[number];
const tokenOf = (name: Name): string => `token-of-${name}-0123456789`;

let world: PageWorld;
let questions: AccessQuestion[];
let answer: (question: AccessQuestion) => Promise<AccessView>;
beforeEach(async () => {
  questions = [];
  answer = async (question) => answered(question);
  world = await PageWorld.start({
    people: {
      tokens: NAMES.map((name) => ({ name, secret: new SecretValue(tokenOf(name), "${env:T}") })),
      rights: [
        { roles: ["request"], tokens: ["asker"] },
        { roles: ["request"], tokens: ["edge-asker"], targets: ["fra-edge-*", "cloud-west"] },
        { roles: ["read"], tokens: ["viewer"] },
        { roles: ["plan", "pause", "reconcile", "approve", "allow"], tokens: ["operator"] },
      ],
    },
    answerAccess: async (question) => {
      questions.push(question);
      return await answer(question);
    },
  });
});
afterEach(async () => await world.close());

const REQUEST = { target: "fra-edge-a", from: "web-01", to: "db-01", service: "tcp/22", application: "ssh", reason: "CHG-1" };

async function post(name: Name | "visitor", path: string, body: object): Promise<{ status: number; body: unknown; code?: string }> {
  const reply = await fetch(`${world.url}api/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(name === "visitor" ? {} : { authorization: `Bearer ${tokenOf(name)}` }) },
    body: JSON.stringify(body),
  });
  const shown = (await reply.json()) as { error?: { code: string } };
  return { status: reply.status, body: shown, ...(shown.error === undefined ? {} : { code: shown.error.code }) };
}
const act = async (...asked: Parameters<typeof post>): Promise<[number, string | undefined]> => {
  const { status, code } = await post(...asked);
  return [status, code];
};
const told = (): readonly AgentEvent[] => world.told.filter(({ type }) => type === "asked");

describe("an access request", () => {
  it("needs the role request on its target, which permits nothing else", async () => {
    expect(await act("visitor", "access", REQUEST)).toEqual([401, "signed-out"]);
    expect(await act("viewer", "access", REQUEST)).toEqual([403, "role-missing"]);
    expect(await act("operator", "access", REQUEST)).toEqual([403, "role-missing"]);
    expect(await act("edge-asker", "access", { ...REQUEST, target: "fra-dc-a" })).toEqual([404, "target-unknown"]);
    expect(await act("edge-asker", "access", REQUEST)).toEqual([200, undefined]);
    const digest = answered({ ...REQUEST, request: REQUEST }).digest;
    for (const name of ["visitor", "viewer", "operator"] as const)
      expect((await act(name, "propose", { ...REQUEST, digest }))[0]).toBe(name === "visitor" ? 401 : 403);
    for (const other of ["plan", "pause", "resume", "reconcile", "approve", "allow"])
      expect(await act("asker", other, { target: "fra-edge-a", reason: "x", digest, flags: [] })).toEqual([403, "role-missing"]);
    expect(questions).toHaveLength(1);
  });

  it("is asked in the name of the person, whatever the body claims", async () => {
    await post("asker", "access", { ...REQUEST, until: "2999-12-31", requester: "root", by: "root", propose: "x" });
    expect(questions).toEqual([
      {
        target: "fra-edge-a",
        request: { from: "web-01", to: "db-01", service: "tcp/22", application: "ssh", fromZone: undefined, toZone: undefined },
        reason: "CHG-1",
        requester: "asker",
        until: "2999-12-31",
        choose: 1,
        acceptExcess: false,
        propose: undefined,
      },
    ]);
    expect(told()).toEqual([]);
  });

  it("offers the targets that can be designed for and that the person may ask about", async () => {
    const offered = async (name: Name) =>
      (await (await fetch(`${world.url}api/access`, { headers: { authorization: `Bearer ${tokenOf(name)}` } })).json()) as AccessTargets;
    expect(await offered("edge-asker")).toEqual({ targets: ["fra-edge-a", "fra-edge-b"], paths: false });
    expect(await offered("viewer")).toEqual({ targets: [], paths: false });
    const { targets, paths } = await offered("asker");
    expect([targets.length, paths]).toEqual([56, true]);
  });

  it("about the path of a flow needs the role on every target, because its answer may name any of them", async () => {
    const { target: _, ...flow } = REQUEST;
    expect(await act("edge-asker", "access", { ...flow, all: true })).toEqual([403, "role-missing"]);
    expect(await act("asker", "access", flow)).toEqual([404, "target-unknown"]);
    const { status, body } = await post("asker", "access", { ...flow, all: true });
    const { hops, digest, target } = body as AccessView;
    expect([status, target, hops.map((hop) => hop.target)]).toEqual([200, "", ["cloud-west", "fra-edge-b"]]);
    expect(questions).toMatchObject([{ target: undefined }]);
    expect(await act("edge-asker", "propose", { ...flow, all: true, digest })).toEqual([403, "role-missing"]);
    expect((await post("asker", "propose", { ...flow, all: true, digest })).body).toMatchObject({ proposed: { isNew: true } });
    expect(told().map((event) => "target" in event && event.target)).toEqual([undefined]);
  });

  it("without an application is about every application", async () => {
    expect(await act("asker", "access", { ...REQUEST, application: "" })).toEqual([200, undefined]);
    expect(questions).toMatchObject([{ request: { application: "any" } }]);
  });

  it.each([
    [{ from: "" }, "field-missing"],
    [{ reason: "  " }, "field-missing"],
    [{ to: "x".repeat(201) }, "field-long"],
    [{ choose: "0" }, "body"],
    [{ choose: "1e9" }, "body"],
    [{ from: ["web-01"] }, "body"],
    [{ acceptExcess: "yes" }, "body"],
  ])("with %j is refused before anything is read", async (change, code) => {
    expect(await act("asker", "access", { ...REQUEST, ...change })).toEqual([400, code]);
    expect(questions).toEqual([]);
  });

  it("is limited to one per person and a few in all, and answered one after another", async () => {
    let running = 0;
    let most = 0;
    const releases: (() => void)[] = [];
    answer = async (question) => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => releases.push(resolve));
      running--;
      return answered(question);
    };
    const first = post("asker", "access", REQUEST);
    await expect.poll(() => releases.length).toBe(1);
    expect(await act("asker", "access", REQUEST)).toEqual([429, "too-often"]);
    const second = post("edge-asker", "access", REQUEST);
    releases[0]?.();
    expect((await first).status).toBe(200);
    await expect.poll(() => releases.length).toBe(2);
    releases[1]?.();
    expect((await second).status).toBe(200);
    expect(most).toBe(1);
    answer = async (question) => answered(question);
    expect((await post("asker", "access", REQUEST)).status).toBe(200);
  });

  it("that fails gives the reason, and the next one is answered", async () => {
    answer = () =>
      Promise.reject(new PlumblineError("option-invalid", "The end date x is not a date from today on.", { next: "Write it." }));
    expect(await post("asker", "access", REQUEST)).toMatchObject({ status: 400, code: "option-invalid" });
    answer = () => Promise.reject(new PlumblineError("access-not-answered", "The access request was not answered: it takes too long."));
    expect(await act("asker", "access", REQUEST)).toEqual([503, "access-not-answered"]);
    answer = async (question) => answered(question);
    expect((await post("asker", "access", REQUEST)).status).toBe(200);
  });
});

describe("a proposal", () => {
  it("is made of the answer that the person saw, and is in the history", async () => {
    const { digest } = (await post("asker", "access", REQUEST)).body as AccessView;
    expect(await act("asker", "propose", { ...REQUEST, digest: "" })).toEqual([409, "answer-changed"]);
    expect(await act("asker", "propose", { ...REQUEST, digest: "0".repeat(64) })).toEqual([409, "answer-changed"]);
    const { status, body } = await post("asker", "propose", { ...REQUEST, digest });
    expect([status, (body as AccessView).proposed?.isNew]).toEqual([200, true]);
    expect(questions.at(-1)?.propose).toBe(digest);
    expect(told()).toMatchObject([
      { act: "propose", target: "fra-edge-a", by: "asker (token)" },
      { act: "propose", target: "fra-edge-a", by: "asker (token)" },
    ]);
    const { entries } = await world.store.history.find({ target: "fra-edge-a", kinds: ["request"], limit: 1 });
    expect(entries).toMatchObject([{ author: "asker (token)", outcome: "propose", summary: "propose asked for" }]);
  });

  it("of a browser session needs its CSRF token and the same origin", async () => {
    const json = { "content-type": "application/json" };
    const body = JSON.stringify({ token: TOKEN, name: "ann" });
    const signedIn = await fetch(`${world.url}api/login`, { method: "POST", headers: json, body });
    const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
    const { csrf } = (await signedIn.json()) as { csrf: string };
    const status = async (path: string, headers: object) =>
      (await fetch(`${world.url}api/${path}`, { method: "POST", headers: { ...json, cookie, ...headers }, body: JSON.stringify(REQUEST) }))
        .status;
    for (const path of ["access", "propose"]) {
      expect(await status(path, {})).toBe(403);
      expect(await status(path, { "x-csrf-token": csrf, origin: "https://evil.example" })).toBe(403);
    }
    expect(await status("access", { "x-csrf-token": csrf })).toBe(200);
  });
});
