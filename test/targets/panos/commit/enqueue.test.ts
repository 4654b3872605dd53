import { describe, expect, it } from "vitest";
import { enqueued, failure, result } from "../fixtures.js";
import { writer } from "../open-writer.js";
import { CALLS } from "../table-device.js";

describe("commit", () => {
  const show = "<show><jobs><id>4</id></jobs></show>";
  const job = (fields: string) => result(`<job><id>4</id><type>Commit</type>${fields}</job>`);
  const running = (progress: string, status = "ACT") =>
    job(`<status>${status}</status><result>PEND</result><progress>${progress}</progress>`);
  const ended = (outcome: string, lines = "<line>Configuration committed successfully</line>", warnings = "") =>
    job(
      `<status>FIN</status><result>${outcome}</result><progress>2026/11/21</progress><details>${lines}</details><warnings>${warnings}</warnings>`,
    );
  const quiet = () => undefined;

  it("sends the commit of the specification with the given description, limited to this administrator on request", async () => {
    const { target, calls } = await writer({ commit: enqueued(4), [show]: ended("OK") });
    await target.commit({ description: "plumbline <1>", partial: true }, quiet);
    await target.commit({ description: "plumbline", partial: false }, quiet);
    expect(calls("commit").map(({ params }) => params.get("cmd"))).toEqual([
      "<commit><description>plumbline &lt;1&gt;</description><partial><admin><member>netops</member></admin></partial></commit>",
      "<commit><description>plumbline</description></commit>",
    ]);
    await target.close();
  });

  it("polls the job until it ends, at growing intervals, and reports its progress", async () => {
    const polls = [
      running("0", "PEND"),
      running("10"),
      running("10"),
      running("soon"),
      running("98"),
      ended("OK", "<line>done\n</line>", "<line>no rule</line>"),
    ];
    const { target, injected } = await writer({ commit: enqueued(4), [show]: (_, count) => polls[count - 1] ?? "drop" });
    const told: unknown[] = [];
    const committed = await target.commit({ description: "x", partial: false }, (event) => told.push([event.status, event.percent]));
    expect(committed).toEqual({ outcome: "committed", job: "4", lines: ["done", "Warning: no rule"] });
    expect(told).toEqual([
      ["PEND", 0],
      ["ACT", 10],
      ["ACT", undefined],
      ["ACT", 98],
      ["FIN", undefined],
    ]);
    expect(injected.slept).toEqual([200, 500, 1000, 2000, 2500, 3125]);
    await target.close();
  });

  it("reports a failed job by its result and reasons, although the call succeeded", async () => {
    const { target } = await writer({
      commit: enqueued(4),
      [show]: ended("FAIL", "<line>address -> a is missing one of ip-netmask</line><line>Commit failed</line>"),
    });
    expect(await target.commit({ description: "x", partial: false }, quiet)).toEqual({
      outcome: "failed",
      job: "4",
      lines: ["address -> a is missing one of ip-netmask", "Commit failed"],
    });
    await target.close();
  });

  it.each([
    `<response status="success" code="19"><msg>There are no changes to commit.</msg></response>`,
    `<response status="success" code="13"><msg>The result of this commit would be the same as the previous commit queued/processed.</msg></response>`,
  ])("recognizes that there is nothing to commit: %s", async (reply) => {
    const { target } = await writer({ commit: reply });
    expect(await target.commit({ description: "x", partial: false }, quiet)).toMatchObject({ outcome: "nothing", job: undefined });
    await target.close();
  });

  it.each([
    ["Another commit/validate is in progress. Please try again later", "device-busy"],
    ["A commit is in progress.", "device-busy"],
    ["You cannot commit while an install is in progress. Please try again later.", "device-busy"],
    ["Configuration is locked by ann", "device-locked"],
    ["Parameter cmd is required", "command-refused"],
  ])("reports the refusal: %s", async (words, code) => {
    const { target } = await writer({
      commit: `<response status="error" code="${code === "command-refused" ? 400 : 13}"><msg><line>${words}</line></msg></response>`,
    });
    expect((await failure(target.commit({ description: "x", partial: false }, quiet))).code).toBe(code);
    await target.close();
  });

  it("tolerates errors of the management plane for a while after the commit", async () => {
    const trouble = [
      "drop",
      { http: 503, body: "", type: "" },
      `<response status="error"><msg><line>job 4 not found</line></msg></response>`,
      result("<job><type>Commit</type><details><line>x</line></details><warnings/></job>"),
      { body: "<html/>", type: "text/html" },
    ] as const;
    const { target } = await writer({ commit: enqueued(4), [show]: (_, count) => trouble[count - 1] ?? ended("OK") });
    expect((await target.commit({ description: "x", partial: false }, quiet)).outcome).toBe("committed");
    await target.close();
  });

  it("gives up if the errors continue or the job never ends", async () => {
    const silent = await writer({ commit: enqueued(4), [show]: result("<job><type>Commit</type></job>") });
    expect((await failure(silent.target.commit({ description: "x", partial: false }, quiet))).code).toBe("job-outcome-unknown");
    await silent.target.close();
    const endless = await writer({ commit: enqueued(4), [show]: running("50") }, {}, { jobTimeout: 60_000 });
    expect((await failure(endless.target.commit({ description: "x", partial: false }, quiet))).code).toBe("job-not-ended");
    await endless.target.close();
  });

  it("reports a lost reply, and does not commit again", async () => {
    const { target, calls } = await writer({ commit: { http: 504, body: "", type: "" } });
    expect((await failure(target.commit({ description: "x", partial: false }, quiet))).code).toBe("reply-lost");
    expect(calls("commit")).toHaveLength(1);
    await target.close();
  });

  it.each(["validateOwn", "validate"] as const)("validates in a separate job (%s)", async (call) => {
    const { target, calls } = await writer({ [CALLS[call]]: enqueued(4), [show]: ended("FAIL", "<line>is missing 'port'</line>") });
    expect(await target.validate(quiet)).toMatchObject({ outcome: "failed", lines: ["is missing 'port'"] });
    expect(calls(CALLS.validateOwn)).toHaveLength(1);
    await target.close();
  });

  it("polls every job by the same delays", async () => {
    const { target, injected } = await writer({ commit: enqueued(4), [show]: ended("OK") });
    for (let job = 0; job < 3; job++) await target.commit({ description: "x", partial: false }, quiet);
    expect(injected.slept).toEqual([200, 200, 200]);
    await target.close();
  });

  it("waits for running jobs of this account, and returns the finished ones with the given description, oldest first", async () => {
    const listed = (id: number, fields: string) => `<job><id>${id}</id><type>Commit</type>${fields}</job>`;
    const { target, calls } = await writer({
      [CALLS.jobs]: result(
        listed(9, "<status>PEND</status><user>ann</user><description>mine</description>") +
          listed(4, "<status>ACT</status><user>netops</user><description>plumbline r d</description>") +
          listed(
            3,
            "<status>FIN</status><result>FAIL</result><user>netops</user><description>plumbline q d</description><details><line>no</line></details>",
          ) +
          listed(2, "<status>FIN</status><result>OK</result><user>netops</user><description>by hand</description>"),
      ),
      [show]: result("<job><id>4</id><status>FIN</status><result>OK</result><description>plumbline r d</description></job>"),
    });
    expect(await target.settleJobs("plumbline ", quiet)).toEqual([
      { job: "3", description: "plumbline q d", ok: false, lines: ["no"] },
      { job: "4", description: "plumbline r d", ok: true, lines: [] },
    ]);
    expect(calls("<show><jobs><id>9</id></jobs></show>")).toHaveLength(0);
    await target.close();
  });
});
