import { describe, expect, it } from "vitest";
import { ADDRESS, type Answer, admin, type Client, find, finishJobs, lab, login, VSYS } from "../support.js";

const people = (names: string[]) => names.map((name) => ({ name, password: name, role: { kind: "superuser" as const } }));

async function two(): Promise<{ readonly mine: Client; readonly hers: Client; readonly finish: () => void }> {
  const { lab: running, clock } = await lab({ administrators: people(["eva"]) });
  return {
    mine: await login(running.device),
    hers: await login(running.device, "eva"),
    finish: () => finishJobs(running.device.state, clock),
  };
}

const add = (client: Client, kind = "config", vsys = "shared", comment = "c <1>"): Promise<Answer> =>
  client.op(`<request><${kind}-lock><add><comment>${comment.replaceAll("<", "&lt;")}</comment></add></${kind}-lock></request>`, { vsys });
const remove = (client: Client, kind = "config", vsys = "shared", inner = ""): Promise<Answer> =>
  client.op(`<request><${kind}-lock><remove>${inner}</remove></${kind}-lock></request>`, { vsys });
const list = (client: Client, kind = "config", vsys = "all"): Promise<Answer> =>
  client.op(`<show><${kind}-locks><vsys>${vsys}</vsys></${kind}-locks></show>`);
const write = (client: Client, xpath = ADDRESS): Promise<Answer> =>
  client.config("set", xpath, "<entry name='x'><ip-netmask>1.1.1.1</ip-netmask></entry>");

describe("config locks", () => {
  it("are listed with owner, scope, time and comment; the scope is required", async () => {
    const { mine } = await two();
    expect((await mine.op("<show><config-locks/></show>")).lines).toEqual(["vsys not provided"]);
    await add(mine);
    const entry = find((await list(mine)).root, "result", "config-locks", "entry");
    const fields = Object.fromEntries((entry?.children ?? []).map((child) => [child.tag, child.text]));
    expect([entry?.name, fields]).toEqual([
      "admin",
      {
        name: "shared",
        type: "shared",
        created: "2026/01/05 08:00:00",
        "last-activity": "2026/01/05 08:00:00",
        loggedin: "yes",
        comment: "c <1>",
      },
    ]);
    expect(find((await list(mine, "config", "vsys1")).root, "result", "config-locks")?.children).toEqual([]);
  });

  it("are held once, by one owner, who releases them", async () => {
    const { mine, hers } = await two();
    expect((await remove(mine)).lines).toEqual(["Config is not currently locked for scope shared"]);
    expect((await remove(mine, "commit")).lines).toEqual(["Commit lock is not currently held"]);
    expect((await add(mine)).status).toBe("success");
    expect((await add(mine)).lines).toEqual(["You already own a config lock for scope shared"]);
    expect((await add(hers)).lines).toEqual(["Config for scope shared is currently locked by admin"]);
    expect((await remove(hers)).lines).toEqual(["Config for scope shared is currently locked by admin"]);
    expect((await remove(hers, "config", "shared", "<admin>admin</admin>")).status).toBe("success");
    expect((await add(hers)).status).toBe("success");
  });

  it("stop others from writing and committing, in their scope", async () => {
    const { mine, hers } = await two();
    await add(hers, "config", "vsys1");
    const refused = await write(mine);
    expect([refused.status, refused.lines[0]]).toEqual(["error", "Configuration is locked by eva"]);
    expect((await write(mine, "/config/shared/address")).code).toBe("20");
    expect((await write(hers)).code).toBe("20");
    await remove(hers, "config", "vsys1");
    await add(hers);
    expect((await write(mine, "/config/shared/address")).status).toBe("error");
    expect((await mine.commit()).lines[0]).toBe("Configuration is locked by eva");
    expect((await mine.op("<revert><config/></revert>")).lines[0]).toBe("Configuration is locked by eva");
    expect(
      (await mine.send({ type: "config", action: "multi-config", element: `<m><delete xpath="${ADDRESS}/entry[@name='web-1']"/></m>` }))
        .status,
    ).toBe("error");
  });

  it("end with the commit of their owner", async () => {
    const { mine, finish } = await two();
    await add(mine);
    await write(mine);
    await mine.commit();
    finish();
    expect((await remove(mine)).lines).toEqual(["Config is not currently locked for scope shared"]);
  });

  it("need an existing vsys", async () => {
    const { client } = await admin();
    const reply = await add(client, "config", "vsys99");
    expect([reply.code, reply.lines[0]]).toEqual(["17", "vsys99 is invalid vsys"]);
    expect((await client.config("get", VSYS)).code).toBe("19");
  });
});

describe("commit locks", () => {
  it("stop others from committing, not from writing", async () => {
    const { mine, hers } = await two();
    await add(hers, "commit");
    expect((await add(hers, "commit")).lines[0]).toContain("Commit lock is already held");
    expect((await add(mine, "commit")).lines[0]).toContain("Commit lock is already held");
    expect((await write(mine)).code).toBe("20");
    expect((await mine.commit()).lines[0]).toBe("Configuration is locked by eva");
    expect(find((await list(mine, "commit")).root, "result", "commit-locks")?.children).toHaveLength(1);
    await remove(mine, "commit", "shared", "<admin>eva</admin>");
    expect((await mine.commit()).code).toBe("19");
  });
});
