import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { inert } from "../../../../src/agent/notify/senders/slack.js";
import { known, passEnded, T0 } from "../../events.js";
import { RecordingServer } from "../../recording-server.js";
import { openNotifier } from "../world.js";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});

afterAll(() => server.close());

it("a chat gets a short message with the command to run", async () => {
  const world = openNotifier({ chat: { kind: "slack", url: "${env:HOOK}" } }, { HOOK: `${server.url}/services/x` });
  world.notifier.listen(passEnded("drifted", { drift: [known("<!channel> *x*", T0 - 7_200_000)] }));
  await world.notifier.close();
  const arrived = server.arrived.find(({ path }) => path === "/services/x");
  const { text } = JSON.parse(arrived?.text ?? "") as { text: string };
  const lines = text.split("\n");
  expect(lines[0]).toBe(":warning: *edge differs from the repository*");
  expect(lines[1]).toContain("&lt;!channel&gt;");
  expect(lines.slice(2)).toEqual(["> since 2026-01-05 10:00 UTC (2 h)", "> by alice", "`plumbline drift --target edge`"]);
});

it("a chat gets a limited number of messages", async () => {
  const world = openNotifier({ many: { kind: "slack", url: "${env:HOOK}" } }, { HOOK: `${server.url}/services/many` });
  for (let i = 0; i < 60; i++) world.notifier.listen(passEnded("drifted", { target: `fw-${i}`, drift: [known("a")] }));
  await world.notifier.close();
  const texts = server.arrived
    .filter(({ path }) => path === "/services/many")
    .map(({ text }) => (JSON.parse(text) as { text: string }).text);
  expect(texts.length).toBeLessThan(4);
  expect(texts.join("\n")).toMatch(/…and \d+ more: `plumbline history`/);
});

it("external text mentions no user, creates no link and ends no code block", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("<", ">", "@", "!", "`", "*", ":", "/", "h", "|", "here", "/a[@name='", "']", "\n") }),
      (text) => {
        const parts = inert(text).split("`");
        expect(parts.length % 2).toBe(1);
        const [plain, code] = [0, 1].map((rest) => parts.filter((_, at) => at % 2 === rest).join(" "));
        expect(plain).not.toMatch(/[<>]|@[a-z!]|:\/\//);
        expect(code).not.toMatch(/[<>\n]/);
      },
    ),
  );
});

it("an XPath is code without invisible characters", () => {
  const path = "/config/shared/address/entry[@name='web_01 *']/ip-netmask";
  expect(inert(`extra ${path}, by @ann`)).toBe(`extra \`${path}\`, by @\u200bann`);
  const long = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']/address/entry[@name='a']";
  expect(inert(long)).toBe(`\`${long}\``);
});
