import { describe, expect, it } from "vitest";
import { ADDRESS, admin, DEVICE, finishJobs } from "../support.js";

const SYSTEM = `${DEVICE}/deviceconfig/system`;

describe("commit of a part", () => {
  it.each(["<device-and-network>excluded</device-and-network>", "<device-and-network/>"])("excludes %s", async (part) => {
    const { client, clock } = await admin();
    await client.config("set", SYSTEM, "<hostname>other</hostname>");
    await client.config("set", ADDRESS, "<entry name='new'><ip-netmask>10.0.0.9</ip-netmask></entry>");
    await client.commit(`<commit><partial>${part}</partial></commit>`);
    finishJobs(client.state, clock);
    expect(client.state.commits[0]?.edits.map(({ xpath }) => xpath)).toEqual([`${ADDRESS}/entry[@name='new']`]);
    expect(client.state.candidate.pending).toHaveLength(1);
  });
});

describe("commit that only validates", () => {
  it("is a job that commits nothing", async () => {
    const { client, clock } = await admin();
    await client.config("set", SYSTEM, "<hostname>other</hostname>");
    const reply = await client.commit("<commit><validate/></commit>");
    finishJobs(client.state, clock);
    expect(reply.code).toBe("19");
    expect(client.state.jobs.all().at(-1)).toMatchObject({ type: "Validate", outcome: { ok: true } });
    expect(client.state.commits).toEqual([]);
    expect(client.state.candidate.pending).toHaveLength(1);
  });

  it("is refused if the device cannot validate", async () => {
    const { client } = await admin({ capabilities: "spec-only" });
    const reply = await client.commit("<commit><validate/></commit>");
    expect([reply.status, reply.code]).toEqual(["error", "17"]);
  });
});
