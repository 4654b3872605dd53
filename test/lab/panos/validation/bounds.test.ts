import { expect, it } from "vitest";
import { admin, DEVICE, finishJobs, RULES, VSYS } from "../support.js";

const RULE = `${RULES}/entry[@name='allow-web']`;
const members = (...names: string[]): string => names.map((name) => `<member>${name}</member>`).join("");
const CATEGORY = `${VSYS}/profiles/custom-url-category`;
const ROUTE = `${DEVICE}/network/virtual-router/entry[@name='default']/routing-table/ip/static-route`;

it.each([
  [
    "set",
    RULE,
    `<service>${members("application-default", "service-http")}</service>`,
    "'application-default' should not be used with another service",
  ],
  [
    "set",
    RULE,
    `<profile-setting><group>${members("a", "b")}</group></profile-setting>`,
    "At most 1 occurrence is allowed for group/member",
  ],
  ["set", ROUTE, "<entry name='r'><destination>10.0.0.0/8</destination><nexthop/></entry>", "r -> nexthop is invalid"],
  [
    "set",
    CATEGORY,
    `<entry name='c'><list>${members("example.com")}</list></entry>`,
    "c -> list 'example.com' is invalid. custom-url-category entry has to be type specified",
  ],
])("%s of %s is refused: %s", async (action, xpath, element, message) => {
  const { client } = await admin();
  for (const name of ["a", "b"]) await client.config("set", `${VSYS}/profile-group`, `<entry name='${name}'/>`);
  const reply = await client.config(action, xpath, element);
  expect([reply.code, reply.lines.join()]).toEqual(["12", expect.stringContaining(message)]);
});

it("checks the result of the request, so that fields may come in any order", async () => {
  const { client } = await admin();
  const whole = `<entry name='c'><list>${members("example.com")}</list><type>URL List</type></entry>`;
  expect((await client.config("set", CATEGORY, whole)).code).toBe("20");
  expect((await client.config("set", `${CATEGORY}/entry[@name='c']/list`, members("example.net"))).code).toBe("20");
  await client.config("edit", `${RULE}/source`, `<source>${members("web-1", "web-2")}</source>`);
  expect((await client.config("edit", `${RULE}/source`, `<source>${members("any")}</source>`)).code).toBe("20");
});

it("a commit fails if a list of a rule holds any and other members", async () => {
  const { client, clock } = await admin();
  expect((await client.config("set", `${RULE}/source`, members("web-1"))).code).toBe("20");
  await client.commit();
  finishJobs(client.state, clock);
  expect(client.state.commits.at(-1)?.lines.join()).toContain("allow-web -> source 'any' should not be used with another source");
});

it("accepts a custom URL category without a type in version 8.1", async () => {
  const { client } = await admin({ system: { version: "8.1.20" } });
  expect((await client.config("set", CATEGORY, `<entry name='c'><list>${members("example.com")}</list></entry>`)).code).toBe("20");
});

it("a commit fails if a match list of log forwarding has no filter", async () => {
  const { client, clock } = await admin();
  const list = `${VSYS}/log-settings/profiles/entry[@name='p']/match-list/entry[@name='m']`;
  const commit = async (): Promise<string> => {
    await client.commit();
    finishJobs(client.state, clock);
    return client.state.commits.at(-1)?.lines.join() ?? "";
  };
  await client.config("set", list, "<log-type>traffic</log-type>");
  expect(await commit()).toContain("p -> match-list -> m is missing 'filter'");
  await client.config("set", list, "<filter>All Logs</filter>");
  expect(await commit()).toBe("Configuration committed successfully");
});
