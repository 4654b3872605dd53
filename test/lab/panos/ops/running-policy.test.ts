import { expect, it } from "vitest";
import { admin, find, finishJobs, RULES } from "../support.js";

it("prints the active rules of the running configuration in order", async () => {
  const { client, clock } = await admin();
  const policy = async (): Promise<string> => {
    const { root } = await client.op("<show><running><security-policy/></running></show>");
    return find(root, "result")?.text ?? "";
  };
  const before = await policy();
  expect(before).toContain('"allow-web; index: 1" {');
  expect(before).toContain("app-default;");
  await client.config("set", `${RULES}/entry[@name='allow-web']`, "<disabled>yes</disabled>");
  expect(await policy()).toBe(before);
  await client.commit();
  finishJobs(client.state, clock);
  expect(await policy()).not.toContain("allow-web");
});
