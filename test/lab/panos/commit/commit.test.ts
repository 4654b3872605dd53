import { describe, expect, it } from "vitest";
import { ADDRESS, type Answer, admin, type Client, find, finishJobs, lab, login, RULES, VSYS } from "../support.js";

const address = (name: string): string => `${ADDRESS}/entry[@name='${name}']`;
const add = (client: Client, name: string): Promise<Answer> => client.config("set", address(name), "<ip-netmask>1.1.1.1</ip-netmask>");
const job = async (client: Client, id: string): Promise<Record<string, string>> => {
  const node = find((await client.op(`<show><jobs><id>${id}</id></jobs></show>`)).root, "result", "job");
  return Object.fromEntries(
    (node?.children ?? []).map((child) => [child.tag, child.children.map((line) => line.text).join("|") || child.text]),
  );
};
const jobId = (reply: Answer): string => find(reply.root, "result", "job")?.text ?? "";
const inRunning = async (client: Client, xpath: string): Promise<boolean> => (await client.config("show", xpath)).status === "success";
const EVA = { administrators: [{ name: "eva", password: "eva", role: { kind: "superuser" as const } }] };
const partial = (user: string, more = ""): string => `<commit><partial><admin><member>${user}</member></admin>${more}</partial></commit>`;

describe("commit", () => {
  it("enqueues a job that goes through PEND, ACT and FIN by the clock", async () => {
    const { client, clock } = await admin({ jobDuration: 10_000 });
    await add(client, "a");
    const first = await client.commit("<commit><description>why</description></commit>");
    expect([first.code, first.lines[0]]).toEqual(["19", `Commit job enqueued with jobid ${jobId(first)}`]);
    await add(client, "b");
    const second = await client.commit();
    expect(await job(client, jobId(first))).toMatchObject({
      status: "ACT",
      result: "PEND",
      progress: "0",
      tfin: "",
      queued: "NO",
      type: "Commit",
      user: "admin",
      description: "why",
    });
    expect(await job(client, jobId(second))).toMatchObject({ status: "PEND", queued: "YES", tdeq: "", positionInQ: "1" });
    clock.advance(4000);
    expect((await job(client, jobId(first))).progress).toBe("40");
    expect(await inRunning(client, address("a"))).toBe(false);
    clock.advance(6000);
    expect(await job(client, jobId(first))).toMatchObject({
      status: "FIN",
      result: "OK",
      progress: "100",
      tenq: "2026/01/05 08:00:00",
      tfin: "08:00:10",
      details: "Configuration committed successfully",
    });
    expect([await inRunning(client, address("a")), await inRunning(client, address("b"))]).toEqual([true, false]);
    clock.advance(10_000);
    expect((await job(client, jobId(second))).status).toBe("FIN");
    expect(await inRunning(client, address("b"))).toBe(true);
  });

  it("needs cmd, and a commit element", async () => {
    const { client } = await admin();
    expect((await client.send({ type: "commit" })).lines[0]).toContain('"cmd"');
    expect((await client.commit("<commit>")).lines[0]).toBe("invalid client cli");
    expect((await client.commit("<other/>")).code).toBe("17");
  });

  it("reports that there is nothing to commit, in both forms, and a forced commit is done anyway", async () => {
    const { client, clock } = await admin({
      administrators: [{ name: "few", password: "few", role: { kind: "custom" } }],
      jobDuration: 1000,
    });
    const nothing = await client.commit();
    expect(nothing.text).toBe('<response status="success" code="19"><msg>There are no changes to commit.</msg></response>');
    const custom = await (await login(client.device, "few")).commit();
    expect([custom.status, custom.code]).toEqual(["success", "13"]);
    expect(custom.lines[0]).toContain("The result of this commit would be the same as the previous commit queued/processed.");
    expect((await client.commit("<commit><force/></commit>")).code).toBe("19");
    await add(client, "a");
    await client.commit();
    expect((await client.commit()).code).toBe("13");
    finishJobs(client.state, clock);
    expect(await inRunning(client, address("a"))).toBe(true);
  });

  it("of an invalid configuration ends as a failed job with the first reason, and does not change the candidate", async () => {
    const { client, clock } = await admin();
    await client.config("set", ADDRESS, "<entry name='empty'/><entry name='worse'/>");
    await client.config("set", `${VSYS}/service`, "<entry name='s'><protocol><tcp/></protocol></entry>");
    const reply = await client.commit();
    finishJobs(client.state, clock);
    expect(await job(client, jobId(reply))).toMatchObject({
      status: "FIN",
      result: "FAIL",
      details: "Validation Error:| address -> empty is missing one of ip-netmask, ip-range, ip-wildcard or fqdn|Commit failed",
    });
    expect(client.state.candidate.pending).toHaveLength(2);
    await client.config("delete", `${ADDRESS}/entry[@name='empty' or @name='worse']`);
    const validate = await client.op("<validate><full/></validate>");
    finishJobs(client.state, clock);
    expect(await job(client, jobId(validate))).toMatchObject({
      type: "Validate",
      result: "FAIL",
      details: expect.stringContaining("is missing 'port'"),
    });
    expect(client.state.commits.map(({ ok, edits }) => [ok, edits])).toEqual([[false, []]]);
  });

  it("keeps one of several alternatives, silently", async () => {
    const { client, clock } = await admin();
    expect((await client.config("set", address("web-1"), "<fqdn>a.example.net</fqdn>")).code).toBe("20");
    const tags = async (): Promise<string[]> =>
      (find((await client.config("get", address("web-1"))).root, "result", "entry")?.children ?? []).map((child) => child.tag);
    expect(await tags()).toEqual(["ip-netmask", "fqdn"]);
    await client.commit();
    finishJobs(client.state, clock);
    expect(await tags()).toEqual(["fqdn"]);
  });

  it("by administrator includes only that one's edits", async () => {
    const { client, clock } = await admin(EVA);
    const eva = await login(client.device, "eva");
    await add(client, "mine");
    await add(eva, "hers");
    await client.commit(partial("admin"));
    finishJobs(client.state, clock);
    expect([await inRunning(client, address("mine")), await inRunning(client, address("hers"))]).toEqual([true, false]);
    expect((await client.config("get", address("hers"))).code).toBe("19");
    expect(client.state.commits[0]?.edits.map((edit) => [edit.admin, edit.xpath])).toEqual([["admin", `${address("mine")}/ip-netmask`]]);
    expect((await client.commit(partial("admin"))).lines[0]).toBe("There are no changes to commit.");
    await eva.commit();
    finishJobs(client.state, clock);
    expect(await inRunning(client, address("hers"))).toBe(true);
  });

  it("can exclude components and vsys", async () => {
    const { client, clock } = await admin();
    await add(client, "a");
    await client.config("set", "/config/shared/tag", "<entry name='t'/>");
    const excluded = "<policy-and-objects>excluded</policy-and-objects>";
    await client.commit(`<commit><partial>${excluded}</partial></commit>`);
    finishJobs(client.state, clock);
    expect([await inRunning(client, address("a")), await inRunning(client, "/config/shared/tag/entry[@name='t']")]).toEqual([false, true]);
    expect((await client.commit("<commit><partial><no-vsys/></partial></commit>")).lines[0]).toBe("There are no changes to commit.");
    expect((await client.commit("<commit><force><partial><vsys><member>vsys1</member></vsys></partial></force></commit>")).code).toBe("19");
  });

  it("does not split the rules of one rulebase between administrators", async () => {
    const { client, clock } = await admin(EVA);
    const eva = await login(client.device, "eva");
    await client.config("clone", RULES, { from: `${RULES}/entry[@name='allow-web']`, newname: "mine" });
    await eva.config("clone", RULES, { from: `${RULES}/entry[@name='allow-web']`, newname: "hers" });
    const reply = await client.commit(partial("admin"));
    finishJobs(client.state, clock);
    expect(await job(client, jobId(reply))).toMatchObject({
      result: "FAIL",
      details: expect.stringContaining("must be committed together"),
    });
  });

  it("fails if it needs an excluded edit", async () => {
    const { client, clock } = await admin(EVA);
    const eva = await login(client.device, "eva");
    await add(client, "base");
    await eva.config("set", `${VSYS}/address-group`, "<entry name='g'><static><member>base</member></static></entry>");
    const reply = await eva.commit(partial("eva"));
    finishJobs(client.state, clock);
    expect(await job(client, jobId(reply))).toMatchObject({
      result: "FAIL",
      details: expect.stringContaining("'base' is not a valid reference"),
    });
  });

  it("is refused while the queue is full, with that text", async () => {
    const { client } = await admin({ limits: { commitQueue: 0 }, jobDuration: 5000 });
    await add(client, "a");
    await client.commit();
    await add(client, "b");
    const reply = await client.commit();
    expect([reply.status, reply.lines[0]]).toEqual(["error", "Another commit/validate is in progress. Please try again later"]);
  });

  it("on the active device reaches the peer, except for local settings", async () => {
    const { lab: pair, clock } = await lab({ name: "a", peer: "b" }, { name: "b" });
    const [active, passive] = await Promise.all(pair.devices.map((device) => login(device)));
    if (active === undefined || passive === undefined) throw new Error("two devices");
    const hostname = "/config/devices/entry/deviceconfig/system/hostname";
    await add(active, "a");
    await active.config("edit", hostname, "<hostname>active</hostname>");
    await active.commit();
    finishJobs(active.state, clock);
    expect([await inRunning(passive, address("a")), (await passive.config("get", address("a"))).code]).toEqual([true, "19"]);
    expect((await passive.config("show", hostname)).text).toContain("lab-fw");
    expect((await passive.commit("<commit><force/></commit>")).code).toBe("15");
  });
});

describe("jobs", () => {
  it("that do not exist are reported", async () => {
    const { client } = await admin();
    const reply = await client.op("<show><jobs><id>4294967295</id></jobs></show>");
    expect(reply.text).toBe('<response status="error"><msg><line>job 4294967295 not found</line></msg></response>');
  });

  it("are listed newest first, and can be stopped", async () => {
    const { client } = await admin({ jobDuration: 60_000 });
    await add(client, "a");
    const id = jobId(await client.commit());
    const types = find((await client.op("<show><jobs><all/></jobs></show>")).root, "result")?.children.map(
      (each) => find(each, "type")?.text,
    );
    expect(types).toEqual(["Commit", "AutoCom"]);
    expect(find((await client.op("<show><jobs><pending/></jobs></show>")).root, "result")?.children).toHaveLength(1);
    await client.op(`<clear><job><id>${id}</id></job></clear>`);
    expect(await job(client, id)).toMatchObject({ status: "FIN", result: "FAIL" });
    expect((await client.op(`<clear><job><id>${id}</id></job></clear>`)).status).toBe("error");
  });
});
