import { afterEach, describe, expect, it } from "vitest";
import { parseXml } from "../../../src/core/tree/xml/parse.js";
import { DEMO_FILES, fileOf, ManualClock, type RunningVerdictLab, startVerdictLab, type VerdictLabOptions } from "../../../src/lab/lab.js";
import { hashes, md5, sha256 } from "../../verdict/support.js";

const DAY = 24 * 3600 * 1000;
const open: RunningVerdictLab[] = [];
afterEach(async () => {
  for (const lab of open.splice(0)) await lab.close();
});

async function lab(options: VerdictLabOptions = {}): Promise<RunningVerdictLab> {
  const running = await startVerdictLab({ plainHttp: true, clock: new ManualClock(Date.UTC(2026, 0, 5, 8)), ...options });
  open.push(running);
  return running;
}

interface Answer {
  readonly status: number;
  readonly root: string;
  readonly error: string | undefined;
  readonly entries: readonly Readonly<Record<string, string>>[];
}

async function post(
  { plainUrl }: RunningVerdictLab,
  path: string,
  body: FormData | URLSearchParams,
  init: RequestInit = {},
): Promise<Answer> {
  const response = await fetch(`${plainUrl}/publicapi/${path}`, { method: "POST", body, ...init });
  expect(response.headers.get("content-type")).toMatch(/^application\/xml/);
  const root = parseXml(await response.text());
  return {
    status: response.status,
    root: root.tag,
    error: root.children.find(({ tag }) => tag === "error-message")?.text,
    entries: root.children
      .filter(({ tag }) => tag === "get-verdict-info")
      .map(({ children }) => Object.fromEntries(children.map(({ tag, text }) => [tag, text]))),
  };
}

const KEY = { apikey: "lab-verdict-key" };
const one = (fields: Record<string, string>) => new URLSearchParams({ ...KEY, ...fields });

/** A list of hashes as a plain field, as pan-python sends it, or as a file, as curl does. */
function many(list: string | undefined, asFile = false): FormData {
  const form = new FormData();
  form.append("apikey", KEY.apikey);
  if (list !== undefined) form.append("file", asFile ? new Blob([list]) : list);
  return form;
}

describe("the lab's verdict service", () => {
  it("answers one hash with its three fields, by either hash", async () => {
    const running = await lab();
    for (const hash of [md5("plumbline lab: malicious"), sha256("plumbline lab: malicious").toUpperCase()]) {
      expect(await post(running, "get/verdict", one({ hash }))).toEqual({
        status: 200,
        root: "analysis",
        error: undefined,
        entries: [{ sha256: sha256("plumbline lab: malicious"), md5: md5("plumbline lab: malicious"), verdict: "1" }],
      });
    }
  });

  it.each([false, true])("answers lists of MD5 and SHA-256 mixed (as file: %s)", async (asFile) => {
    const list = [md5("plumbline lab: benign"), sha256("unknown"), "no hash"].join("\n");
    const { entries } = await post(await lab(), "get/verdicts", many(list, asFile));
    expect(entries.map(({ verdict }) => verdict)).toEqual(["0", "-102", "-103"]);
    expect(entries[1]).toEqual({ sha256: sha256("unknown"), md5: "", verdict: "-102" });
  });

  it("knows the given files, and can omit unknown ones", async () => {
    const running = await lab({ hashes: [fileOf("mine", 4)], unknown: "absent", root: "wildfire" });
    const { entries, root } = await post(running, "get/verdicts", many([md5("mine"), md5("unknown")].join("\n")));
    expect([root, entries]).toEqual(["wildfire", [{ sha256: sha256("mine"), md5: md5("mine"), verdict: "4" }]]);
  });

  it("has two files with the empty file's MD5, and one with its SHA-256", async () => {
    const running = await lab();
    expect((await post(running, "get/verdict", one({ hash: md5("") }))).entries).toHaveLength(2);
    expect((await post(running, "get/verdict", one({ hash: sha256("") }))).entries).toHaveLength(1);
  });

  it.each([
    [401, "'Invalid API key'", "get/verdict", new URLSearchParams({ apikey: "wrong", hash: md5("a") })],
    [401, "'Invalid API key'", "get/verdict", new URLSearchParams({ hash: md5("a") })],
    [404, "'Not Found'", "get/nothing", one({ hash: md5("a") })],
    [420, "'Missing required field'", "get/verdict", one({})],
    [421, "'invalid hash value'", "get/verdict", one({ hash: "x-invalid" })],
    [420, "'Missing required field file'", "get/verdicts", many(undefined)],
    [422, "'Unprocessable Entities'", "get/verdicts", many("")],
    [413, "'Only 500 entries are allowed for each file'", "get/verdicts", many(hashes(501).join("\n"))],
    [420, "'Missing required field date'", "get/verdicts/changed", one({})],
    [421, "'invalid date value'", "get/verdicts/changed", one({ date: "yesterday" })],
    [403, "'Invalid Date (longer than 30 days from now or newer than now)'", "get/verdicts/changed", one({ date: "2026-01-07" })],
    [403, "'Invalid Date (longer than 30 days from now or newer than now)'", "get/verdicts/changed", one({ date: "2025-12-05" })],
  ])("refuses with %i %s", async (status, error, path, body) => {
    expect(await post(await lab(), path, body)).toMatchObject({ status, error, entries: [] });
  });

  it("accepts 500 hashes, and only POST", async () => {
    const running = await lab();
    expect((await post(running, "get/verdicts", many(hashes(500).join("\n")))).entries).toHaveLength(500);
    const response = await fetch(`${running.plainUrl}/publicapi/get/verdict?apikey=lab-verdict-key&hash=${md5("a")}`);
    expect(response.status).toBe(405);
  });

  it("accepts its key as a bearer token, too", async () => {
    const headers = { authorization: "Bearer lab-verdict-key" };
    expect((await post(await lab(), "get/verdict", new URLSearchParams({ hash: md5("a") }), { headers })).status).toBe(200);
  });

  it("lists the verdicts since a day", async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 5, 8));
    const running = await lab({ clock });
    const since = async (date: string) => (await post(running, "get/verdicts/changed", one({ date }))).entries.length;
    expect(await since("2026-01-05")).toBe(DEMO_FILES.length);
    clock.advance(2 * DAY);
    running.state.files.add(fileOf("new", 1), clock.now());
    expect([await since("2026-01-05"), await since("2026-01-06")]).toEqual([DEMO_FILES.length + 1, 1]);
  });

  it("counts a bulk query once, by key and day, refused ones not, and refuses with 419 until 23:59 UTC", async () => {
    const clock = new ManualClock(Date.UTC(2026, 0, 5, 8));
    const running = await lab({ allotment: 2, keys: ["lab-verdict-key", "other"], clock });
    const ask = async (apikey = KEY.apikey) => (await post(running, "get/verdict", new URLSearchParams({ apikey, hash: md5("a") }))).status;
    await post(running, "get/verdicts", many(hashes(500).join("\n")));
    await post(running, "get/verdicts", many(""));
    expect([await ask(), await ask(), await ask("other")]).toEqual([200, 419, 200]);
    expect(running.state.used(KEY.apikey)).toBe(2);
    clock.advance(15 * 3600_000 + 59 * 60_000 - 1);
    expect(await ask()).toBe(419);
    clock.advance(1);
    expect(await ask()).toBe(200);
  });

  it("gets files and faults from another process, and shows its requests", async () => {
    const running = await lab();
    const control = (path: string, body: unknown) =>
      fetch(`${running.plainUrl}/lab/${path}`, { method: "POST", body: JSON.stringify(body) }).then(({ status }) => status);
    expect(await control("hashes", fileOf("told", 1))).toBe(200);
    expect(await control("faults", [{ kind: "status", status: 513 }])).toBe(200);
    expect(await control("nothing", {})).toBe(404);
    expect((await post(running, "get/verdict", one({ hash: md5("told") }))).status).toBe(513);
    expect((await post(running, "get/verdict", one({ hash: md5("told") }))).entries[0]?.verdict).toBe("1");
    const journal = await (await fetch(`${running.plainUrl}/lab/journal`)).json();
    expect(journal).toEqual([
      { method: "POST", path: "/publicapi/get/verdict", status: 513, entries: 0 },
      { method: "POST", path: "/publicapi/get/verdict", status: 200, entries: 1 },
    ]);
  });
});
