import { describe, expect, it } from "vitest";
import { ADDRESS, admin, find, finishJobs } from "./support.js";

describe("a device that supports only the specification", () => {
  const start = () => admin({ capabilities: "spec-only" });

  it.each([
    ["a device of the specification", { capabilities: "spec-only" }],
    ["one that can do more and marks as it says", { behavior: { marks: "every" } }],
  ] as const)("%s gives administrator and time on each element that get returns", async (_, options) => {
    const { client } = await admin(options);
    const reply = await client.config("get", `${ADDRESS}/entry`);
    const entries = find(reply.root, "result")?.children ?? [];
    expect(entries).toHaveLength(2);
    for (const entry of entries) {
      expect(entry.attributes?.get("admin")).toBe("admin");
      expect(entry.attributes?.get("time")).toMatch(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d$/);
    }
  });

  it("names jobid if the number of a log job is missing", async () => {
    const { client } = await start();
    const reply = await client.send({ type: "log", action: "get" });
    expect([reply.http, reply.lines[0]]).toEqual([400, expect.stringContaining('"jobid"')]);
  });

  it("sets, edits, deletes, commits and queries threats", async () => {
    const { client, clock } = await start();
    const path = `${ADDRESS}/entry[@name='a']`;
    expect((await client.config("set", path, "<ip-netmask>1.1.1.1</ip-netmask>")).code).toBe("20");
    expect((await client.config("edit", path, "<entry name='a'><ip-netmask>2.2.2.2</ip-netmask></entry>")).code).toBe("20");
    expect((await client.commit()).code).toBe("19");
    finishJobs(client.state, clock);
    expect(client.state.commits.map(({ ok }) => ok)).toEqual([true]);
    expect((await client.config("delete", path)).code).toBe("20");
    expect((await client.op("<show><system><info/></system></show>")).status).toBe("success");
    const job = find((await client.send({ type: "log", "log-type": "threat" })).root, "result", "job")?.text ?? "";
    clock.advance(1000);
    expect(find((await client.send({ type: "log", action: "get", jobid: job })).root, "result", "job", "status")?.text).toBe("FIN");
  });

  it.each([
    ["<show><jobs><all/></jobs></show>"],
    ["<show><config-locks><vsys>all</vsys></config-locks></show>"],
    ["<show><config><list><changes/></list></config></show>"],
    ["<check><pending-changes/></check>"],
    ["<validate><full/></validate>"],
    ["<revert><config/></revert>"],
    ["<save><config><to>x</to></config></save>"],
    ["<show><high-availability><state/></high-availability></show>"],
  ])("does not know %s", async (cmd) => {
    const { client } = await start();
    expect((await client.op(cmd)).code).toBe("17");
  });

  it("knows no other actions, types, logs or kinds of commit", async () => {
    const { client } = await start();
    for (const action of ["show", "move", "rename", "clone", "multi-config", "complete"]) {
      expect((await client.config(action, ADDRESS, "<a/>")).lines[0]).toBe(`action '${action}' is not an allowed keyword`);
    }
    for (const type of ["version", "export", "report", "import", "user-id"]) expect((await client.send({ type })).http).toBe(400);
    expect((await client.send({ type: "log", "log-type": "traffic" })).code).toBe("17");
    expect((await client.commit("<commit><partial><admin><member>a</member></admin></partial></commit>")).code).toBe("17");
  });

  it("can be given single capabilities", async () => {
    const { client } = await admin({ capabilities: { locks: false } });
    expect((await client.op("<show><config-locks><vsys>all</vsys></config-locks></show>")).code).toBe("17");
    expect((await client.op("<show><jobs><all/></jobs></show>")).status).toBe("success");
  });
});
