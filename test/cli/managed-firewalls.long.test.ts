import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningLab, startLab } from "../../src/lab/lab.js";
import { setConnected } from "../../src/lab/panos/manager/push.js";
import { reportSchema } from "../../src/report/schema.js";
import { managed, pushOf, SERIALS } from "../lab/panos/manager/managed-lab.js";
import { runIn } from "./run-in.js";

let folder: string;
let lab: RunningLab;

const git = (...words: string[]) => execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.net", ...words]);

const run = (line: string) => runIn(folder, line.split(" "), { PLUMBLINE_PASSWORD: "plumbline" });

/** A tag in a group above the groups with firewalls, and the resulting configuration of the firewalls. */
function want(firewalls: string, ...tags: readonly string[]): void {
  const credentials = `credentials: { username: plumbline, password: "\${env:PLUMBLINE_PASSWORD}" }`;
  writeFileSync(
    join(folder, "plumbline.yaml"),
    `format: 1\nowner: us\ndocuments: [manager]\ntargets:\n  manager: { kind: panos, url: "${lab.device.url}", mode: enforce, tls: { ca: ca.pem }, ${credentials}${firewalls} }\n`,
  );
  const rows = tags.map((tag) => `${tag}: { comments: ours }`);
  writeFileSync(
    join(folder, "manager/all.yaml"),
    `target: manager\nscope: device-group/offices\nconfig: { tag: { ${rows.join(", ")} } }\n`,
  );
  git("add", ".");
  git("commit", "-q", "--allow-empty", "-m", "a change");
}

const state = (name: string) => lab.devices.find((each) => each.name === name)?.state ?? expect.fail();

/** Another administrator pushes to these groups, and the pushes have ended. */
function push(...groups: readonly string[]): void {
  const cmd = pushOf(Object.fromEntries(groups.map((name) => [name, []])));
  expect(lab.device.act("alice", { type: "commit", action: "all", cmd })).toMatchObject({ status: "success" });
  for (const ask of [1, 2, 3]) lab.device.act("alice", { type: "op", cmd: `<show><jobs><id>${ask}</id></jobs></show>` });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-managed-"));
  mkdirSync(join(folder, "manager"));
  const administrators = ["plumbline", "alice"].map((name) => ({ name, password: name, role: { kind: "superuser" as const } }));
  lab = await startLab({ devices: managed({ administrators }).map((each) => ({ ...each, jobDuration: 0 })) });
  writeFileSync(join(folder, "ca.pem"), lab.caPem);
  git("init", "-q");
});

afterEach(async () => {
  await lab.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("firewalls of a manager", () => {
  it("are summarised in one line that does not change the result, unless they are watched", async () => {
    push("branch", "plants");
    want("", "a");
    expect(await run("plan")).toMatchObject({
      code: 2,
      text: expect.stringContaining("2 of 2 firewalls in sync with the manager's running configuration"),
    });
    const done = await run("reconcile");
    expect(done).toMatchObject({
      code: 0,
      text: expect.stringContaining("0 of 2 firewalls in sync with the manager's running configuration"),
    });
    expect(done.text).toMatch(new RegExp(`fw-a ${SERIALS.a} +out of sync with device-group/branch, last push commit succeeded at `));
    expect(done.text).not.toContain(SERIALS.c);
    expect(await run("drift")).toMatchObject({ code: 0, text: expect.stringContaining("no drift") });
    want(", firewalls: ignore", "a");
    expect((await run("drift")).text).not.toContain("firewalls");
  });

  it("keep a manager that watches them from being in sync, in every report", async () => {
    push("branch", "plants");
    want(", firewalls: watch", "a");
    const done = await run("reconcile");
    expect(done.code).toBe(2);
    expect(done.text).toContain("committed and read back, 2 of 2 firewalls not in sync");
    expect(done.text).not.toContain("applied and verified");
    for (const command of ["plan", "drift", "reconcile"]) {
      const { code, text } = await run(command);
      expect(code).toBe(2);
      expect(text).toContain("2 of 2 firewalls not in sync");
      expect(text).toContain("1 target with 2 firewalls not in sync");
      expect(text).not.toMatch(/^(?:In sync|No drift)/m);
    }
    const report: unknown = JSON.parse((await run("drift --format json")).out);
    expect(new Ajv().validate(reportSchema, report)).toBe(true);
    const { targets } = report as { targets: { firewalls: object; exitCode: number }[] };
    expect(targets).toMatchObject([
      {
        exitCode: 2,
        firewalls: {
          watched: true,
          rows: [{ serial: SERIALS.a, by: "device-group/branch", state: "out of sync", connected: true }, { serial: SERIALS.b }],
        },
      },
    ]);
    expect((await run("drift --format junit")).text).toContain("<failure");
    expect((await run("plan --format markdown")).text).toContain(
      "0 of 2 firewalls in sync with the manager's running configuration; not: fw-a, fw-b",
    );
    push("branch");
    expect(await run("drift")).toMatchObject({ code: 0, text: expect.stringContaining("2 of 2 firewalls in sync") });
    expect(await run("reconcile")).toMatchObject({ code: 0 });
  });

  it("show commits of others that were not pushed, and disconnected firewalls", async () => {
    push("branch", "plants");
    want(", firewalls: watch", "a");
    await run("reconcile");
    push("branch");
    lab.device.act("alice", { type: "config", action: "set", xpath: "/config/shared/tag", element: "<entry name='theirs'/>" });
    lab.device.act("alice", { type: "commit", cmd: "<commit/>" });
    setConnected(state("b"), false);
    const { code, text } = await run("drift");
    expect(code).toBe(2);
    expect(text).toContain("0 of 2 firewalls in sync with the manager's running configuration, 1 not connected");
    expect(text).toMatch(/fw-b \d+ +out of sync with device-group\/branch, not connected/);
    push("branch");
    expect((await run("drift")).text).toContain("1 of 2 firewalls in sync");
  });

  it("are not called in sync if the account may not read their state, and do not stop a run", async () => {
    push("branch", "plants");
    want(", firewalls: watch", "a");
    for (let n = 0; n < 3; n++) lab.fault({ match: { cmd: "devicegroups" }, effect: { kind: "status", status: 500 }, count: 20 });
    const { code, text } = await run("reconcile");
    expect(text).toMatch(/firewalls {2}not known: /);
    expect(text).toContain("its firewalls are not known");
    expect(code).toBe(2);
    expect(state("manager").commits.at(-1)).toMatchObject({ ok: true, admin: "plumbline" });
  });

  it("get the push from the run itself with push:, which the plan announces", async () => {
    push("branch", "plants");
    want(", push: {}", "a");
    expect(await run("plan")).toMatchObject({ code: 2, text: expect.stringContaining("to be pushed to 2 firewalls and virtual systems") });
    const done = await run("reconcile");
    expect(done).toMatchObject({ code: 0, text: expect.stringContaining("applied and verified") });
    expect(done.text).toMatch(/pushed {2}2 of 2 firewalls accepted the push, job \d+/);
    expect(done.text).not.toMatch(/to be pushed|by a push, which is not done here/);
    want(", push: {}, firewalls: tell", "a");
    expect(await run("plan")).toMatchObject({ code: 1, text: expect.stringContaining("firewalls: tell does not go with push:") });
  });

  it("are rolled back where they received the change, and nowhere else, by one repeatable command", async () => {
    writeFileSync(join(folder, ".gitignore"), "state\n");
    push("branch", "plants");
    const pushing = `, push: { validate: false, rollout: { canary: ["${SERIALS.a}"], batch: 1 } }`;
    want(pushing, "a");
    expect(await run("reconcile")).toMatchObject({ code: 0 });
    // Nothing refers to the group after the revert.
    writeFileSync(
      join(folder, "manager/more.yaml"),
      "target: manager\nscope: device-group/all\nconfig: { tag: { more: { comments: ours } } }\n",
    );
    want(pushing, "a");
    const commit = String(git("rev-parse", "HEAD")).trim();
    const { attachment } = state("b");
    if (attachment === undefined) expect.fail();
    attachment.trouble = { kind: "fails", lines: ["no room"] };
    expect(await run("reconcile")).toMatchObject({ code: 4, text: expect.stringMatching(/pushed {2}1 of 3 firewalls accepted the push/) });
    expect(await run(`rollback ${commit}`)).toMatchObject({ code: 0 });
    const rows = "fw-b, fw-c vsys1, fw-c vsys2";
    const plan = await run("plan");
    expect(plan.text).toContain(`to be pushed to 4 firewalls and virtual systems, but for 3 that have it already: ${rows}, in 3 waves`);
    const json = JSON.parse((await run("plan --format json")).out);
    expect(new Ajv({ strict: false }).validate(reportSchema, json)).toBe(true);
    expect(json.targets[0].plan.alreadyHave).toContain(`${SERIALS.b}  device-group/branch`);
    const before = state("manager").pushes.length;
    const back = await run(`rollback ${commit} --reconcile --allow empty-list=1`);
    expect(back).toMatchObject({ code: 0, text: expect.stringContaining("The commit was already reverted.") });
    expect(
      state("manager")
        .pushes.slice(before)
        .map(({ serials }) => serials),
    ).toEqual([[SERIALS.a]]);
    expect(back.text).toContain("3 of 3 firewalls in sync");
    expect(await run(`rollback ${commit}`)).toMatchObject({
      code: 3,
      text: expect.stringContaining("The changes of the commit have already been reverted"),
    });
  });

  it("are all listed by status", async () => {
    push("branch");
    want("", "a");
    const { code, text } = await run("status");
    expect(code).toBe(0);
    expect(text).toContain("2 of 3 firewalls in sync with the manager's running configuration");
    expect(text).toMatch(/fw-c \d+ vsys2 +out of sync with device-group\/plants, never pushed to/);
    expect(JSON.parse((await run("status --format json")).out)).toMatchObject({ targets: [{ firewalls: { watched: false } }] });
  });

  it("cause an alarm when disconnected for longer than offline: allows, in sync or not", async () => {
    push("branch");
    want(", firewalls: watch, offline: 3d", "a");
    const place = join(folder, "state/absences/manager.json");
    expect(await run("reconcile")).toMatchObject({ code: 2 });
    push("branch");
    setConnected(state("b"), false);
    const waiting = await run("plan");
    expect(waiting).toMatchObject({ code: 0, text: expect.stringContaining("1 not connected") });
    expect(waiting.text).not.toContain("too long");
    const known = JSON.parse(readFileSync(place, "utf8"));
    expect(Object.keys(known)).toEqual([SERIALS.b]);
    writeFileSync(place, JSON.stringify({ [SERIALS.b]: known[SERIALS.b] - 3 * 86_400_000 }));
    for (const command of ["plan", "drift", "reconcile"]) {
      const { code, text } = await run(command);
      expect(code).toBe(2);
      expect(text).toMatch(
        /1 not connected, 1 of them for too long\n +! fw-b \d+ {2}in sync with .*, not connected since [\d-]+ [\d:]+ UTC or before, for too long/,
      );
      expect(text).toContain("0 of 2 firewalls not in sync, 1 away for too long");
    }
    expect((await run("status")).text).toContain("1 of them for too long");
    const json = JSON.parse((await run("plan --format json")).out);
    expect(new Ajv({ strict: false }).validate(reportSchema, json)).toBe(true);
    expect(json.targets[0].firewalls.rows[1].away).toMatchObject({ tooLong: true });
    setConnected(state("b"), true);
    expect(await run("plan")).toMatchObject({ code: 0 });
    expect(readFileSync(place, "utf8")).toBe("{}\n");
    want(", firewalls: ignore, offline: 3d", "a");
    expect(await run("plan")).toMatchObject({ code: 1, text: expect.stringContaining("offline: is not possible with firewalls: ignore") });
  });
});
