import { expect, it } from "vitest";
import { ADDRESS, admin, find, VSYS } from "../support.js";

const partial = (mode: string, from: string, to: string): string =>
  `<load><config><partial><mode>${mode}</mode><from-xpath>${from.slice("/config/".length)}</from-xpath><to-xpath>${to}</to-xpath><from>saved</from></partial></config></load>`;

it("loads a part of a saved configuration: merge adds to what is there, replace replaces it", async () => {
  const { client } = await admin();
  const names = async (): Promise<(string | undefined)[]> =>
    (find((await client.config("get", ADDRESS)).root, "result", "address")?.children ?? []).map(({ name }) => name);
  await client.config("set", ADDRESS, "<entry name='saved'><fqdn>a.example.net</fqdn></entry>");
  await client.op("<save><config><to>saved</to></config></save>");
  await client.config("delete", `${ADDRESS}/entry[@name='saved']`);
  await client.config("set", ADDRESS, "<entry name='later'><fqdn>b.example.net</fqdn></entry>");
  expect((await client.op(partial("merge", ADDRESS, ADDRESS))).status).toBe("success");
  expect(await names()).toEqual(["web-1", "web-2", "later", "saved"]);
  expect((await client.op(partial("replace", ADDRESS, ADDRESS))).status).toBe("success");
  expect(await names()).toEqual(["web-1", "web-2", "saved"]);
  expect((await client.op(partial("sideways", ADDRESS, ADDRESS))).code).toBe("17");
  expect((await client.op(partial("merge", `${VSYS}/nothing`, ADDRESS))).code).toBe("6");
});

it("needs a complete commit after a load, and none after single edits", async () => {
  const { client } = await admin();
  const isRequired = async (): Promise<string | undefined> =>
    find((await client.op("<check><full-commit-required/></check>")).root, "result")?.text;
  await client.config("set", ADDRESS, "<entry name='a'><fqdn>a.example.net</fqdn></entry>");
  expect(await isRequired()).toBe("no");
  await client.op("<load><config><from>running-config.xml</from></config></load>");
  expect(await isRequired()).toBe("yes");
});

it("lists the users that were registered", async () => {
  const { client } = await admin();
  const login = "<uid-message><type>update</type><payload><login><entry name='corp\\eva' ip='10.0.0.1'/></login></payload></uid-message>";
  await client.send({ type: "user-id", cmd: login });
  const { root } = await client.op("<show><user><ip-user-mapping><all/></ip-user-mapping></user></show>");
  expect(find(root, "result", "entry", "user")?.text).toBe("corp\\eva");
  expect(find(root, "result", "count")?.text).toBe("1");
});
