import { describe, expect, it } from "vitest";
import { PanosClient } from "../../../src/targets/panos/client/client.js";
import { LogClient } from "../../../src/targets/panos/log-query.js";
import { configuration, dependencies, failure, result } from "./fixtures.js";
import { scriptedDevice } from "./scripted-device.js";
import { type Table, tableScript } from "./table-device.js";

const created = `<response status="success" code="19"><result><msg><line>query job enqueued with jobid 18</line></msg><job>18</job></result></response>`;
const active = result("<job><tenq>09:00:00</tenq><status>ACT</status><id>18</id></job>");
const finished = result(
  `<job><tenq>09:00:00</tenq><tdeq>09:00:00</tdeq><tlast>09:00:01</tlast><status>FIN</status><id>18</id><cached-logs>2</cached-logs></job>
   <log><logs count="2" progress="100"><entry logid="1"><src>192.0.2.1</src></entry><entry logid="2"/></logs></log>
   <meta><devices><entry name="localhost.localdomain"><hostname>edge</hostname></entry></devices></meta>`,
);
const missing = `<response status="error" code="400"><msg><line>Missing value for parameter "job-id"</line></msg></response>`;

async function logs(table: Table, timeout?: number) {
  const device = await scriptedDevice(tableScript(table));
  const injected = dependencies();
  const client = PanosClient.at(device.url, configuration(device.url), injected, {});
  return { device, injected, client, logs: new LogClient(client, injected.clock, timeout) };
}

describe("a log query", () => {
  it("creates a job, polls it with growing delays, and returns its records", async () => {
    const {
      logs: panos,
      device,
      injected,
      client,
    } = await logs({ log: created, "log/get": (_, count) => (count < 4 ? active : finished) });
    const found = await panos.query({ type: "threat", query: "( severity geq high )", count: 50, skip: 10, direction: "backward" });
    expect(found.records.map(({ attributes }) => attributes?.get("logid"))).toEqual(["1", "2"]);
    expect(Object.fromEntries(found.job)).toMatchObject({
      tenq: "09:00:00",
      tlast: "09:00:01",
      status: "FIN",
      id: "18",
      "cached-logs": "2",
    });
    expect(found.meta?.children[0]?.tag).toBe("devices");
    expect(injected.slept).toEqual([500, 1000, 2000]);
    const parameters = Object.fromEntries(device.asked.find(({ call }) => call === "log")?.params ?? []);
    expect(parameters).toMatchObject({ "log-type": "threat", query: "( severity geq high )", nlogs: "50", skip: "10", dir: "backward" });
    await client.close();
  });

  it("uses jobid as in the specification, and job-id if the device requires it, from then on", async () => {
    const {
      logs: panos,
      device,
      client,
    } = await logs({ log: created, "log/get": ({ params }) => (params.get("job-id") === "18" ? finished : missing) });
    await panos.query({ type: "threat" });
    await panos.query({ type: "threat" });
    const names = device.asked.filter(({ call }) => call === "log/get").map(({ params }) => (params.has("jobid") ? "jobid" : "job-id"));
    expect(names).toEqual(["jobid", "job-id", "job-id"]);
    await client.close();
  });

  it("is finished on the device when it takes too long", async () => {
    const { logs: panos, device, client } = await logs({ log: created, "log/get": active, "log/finish": result("") }, 10_000);
    expect((await failure(panos.query({ type: "threat" }))).code).toBe("log-query-unanswered");
    expect(device.asked.at(-1)?.call).toBe("log/finish");
    await client.close();
  });

  it("is finished on the device when it is interrupted", async () => {
    const { logs: panos, device, client } = await logs({ log: created, "log/get": active, "log/finish": result("") });
    const controller = new AbortController();
    const seen: unknown[] = [];
    const progress = (event: unknown): void => {
      if (seen.push(event) === 2) controller.abort();
    };
    expect((await failure(panos.query({ type: "threat" }, { stop: controller.signal, progress }))).code).toBe("interrupted");
    expect(seen[0]).toEqual({ job: "18", status: "ACT", percent: undefined });
    expect(device.asked.at(-1)?.call).toBe("log/finish");
    await client.close();
  });

  it("reports a device that refuses, or names no job", async () => {
    const refused = await logs({});
    expect(await failure(refused.logs.query({ type: "threat" }))).toMatchObject({
      code: "log-query-refused",
      next: expect.stringContaining("this software version keeps such a log"),
    });
    expect(await failure(refused.logs.query({ type: "threat", query: "( severity" }))).toMatchObject({
      message: expect.stringContaining("the filter ( severity of the threat log"),
      next: expect.stringContaining("Correct the filter"),
    });
    await refused.client.close();
    const nameless = await logs({ log: result("") });
    expect((await failure(nameless.logs.query({ type: "threat" }))).code).toBe("log-job-missing");
    await nameless.client.close();
  });

  it("is repeated if the answer was lost and the device has deleted the job", async () => {
    const gone = `<response status="error"><msg><line>job 18 not found</line></msg></response>`;
    const lost = await logs({ log: created, "log/get": (_, count) => (count <= 2 ? gone : finished) });
    expect((await lost.logs.query({ type: "threat" })).records).toHaveLength(2);
    expect(lost.device.asked.filter(({ call }) => call === "log")).toHaveLength(2);
    await lost.client.close();
    const never = await logs({ log: created, "log/get": gone });
    expect((await failure(never.logs.query({ type: "threat" }))).message).toContain("job 18 not found");
    expect(never.device.asked.filter(({ call }) => call === "log")).toHaveLength(3);
    await never.client.close();
  });
});
