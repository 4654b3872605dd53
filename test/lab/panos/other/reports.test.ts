import { describe, expect, it } from "vitest";
import { admin, find } from "../support.js";

describe("reports", () => {
  it("that are dynamic are a job, fetched once", async () => {
    const { client } = await admin();
    const created = await client.send({ type: "report", reporttype: "dynamic", reportname: "top-applications-summary" });
    const id = find(created.root, "result", "job")?.text ?? "";
    const fetched = await client.send({ type: "report", action: "get", "job-id": id });
    const report = find(fetched.root, "result", "report");
    expect(find(fetched.root, "result", "job", "status")?.text).toBe("FIN");
    expect(report?.children.map((entry) => find(entry, "name")?.text)).toEqual(["web-browsing"]);
    expect((await client.send({ type: "report", action: "get", "job-id": id })).lines).toEqual([`job ${id} not found`]);
  });

  it("that are predefined are returned immediately, without the envelope of other replies", async () => {
    const { client } = await admin();
    const reply = await client.send({ type: "report", reporttype: "predefined", reportname: "top-applications" });
    expect([reply.http, reply.root.tag]).toEqual([200, "report"]);
    expect(find(reply.root, "result")?.children.map((entry) => find(entry, "name")?.text)).toEqual(["web-browsing"]);
  });

  it("that the lab has no records for are refused", async () => {
    const { client } = await admin();
    expect((await client.send({ type: "report", reporttype: "custom", reportname: "mine" })).code).toBe("17");
    expect((await client.send({ type: "report", reporttype: "dynamic" })).http).toBe(400);
  });
});
