import { describe, expect, it } from "vitest";
import { admin, type Client, find } from "../support.js";

const register = (client: Client, ip: string, ...tags: string[]) => {
  const members = tags.map((tag) => `<member>${tag}</member>`).join("");
  const entry = `<entry ip="${ip}"><tag>${members}</tag></entry>`;
  return client.send({
    type: "user-id",
    cmd: `<uid-message><type>update</type><payload><register>${entry}</register></payload></uid-message>`,
  });
};

const registered = async (client: Client, filter: string): Promise<(string | undefined)[]> => {
  const reply = await client.op(`<show><object><registered-ip>${filter}</registered-ip></object></show>`);
  const entries = find(reply.root, "result")?.children.filter(({ tag }) => tag === "entry") ?? [];
  return entries.map(({ attributes }) => attributes?.get("ip"));
};

describe("registered addresses", () => {
  it("are listed completely, by address, by tag and by page", async () => {
    const { client } = await admin();
    await register(client, "192.0.2.1", "red");
    await register(client, "192.0.2.2", "red", "blue");
    await register(client, "192.0.2.3", "blue");
    expect(await registered(client, "")).toEqual(["192.0.2.1", "192.0.2.2", "192.0.2.3"]);
    expect(await registered(client, "<ip>192.0.2.2</ip>")).toEqual(["192.0.2.2"]);
    expect(await registered(client, "<tag><entry name='red'/></tag>")).toEqual(["192.0.2.1", "192.0.2.2"]);
    expect(await registered(client, "<limit>2</limit><start-point>3</start-point>")).toEqual(["192.0.2.3"]);
  });
});

describe("password hash", () => {
  it("equals the text that the device stores for the password", async () => {
    const { client } = await admin();
    const reply = await client.op("<request><password-hash><password>secret</password></password-hash></request>");
    expect(find(reply.root, "result", "phash")?.text).toMatch(/^\$5\$/);
    expect(reply.text).not.toContain("secret");
  });
});
