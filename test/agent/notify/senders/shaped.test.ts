import { afterAll, beforeAll, expect, it } from "vitest";
import { known, passEnded } from "../../events.js";
import { RecordingServer } from "../../recording-server.js";
import { openNotifier } from "../world.js";

let server: RecordingServer;

beforeAll(async () => {
  server = await RecordingServer.start();
});

afterAll(() => server.close());

it("text from devices creates no link and no markup in an Adaptive Card, and is unchanged elsewhere", async () => {
  const name = "[click](https://evil.example) *now* <https://evil.example>";
  const body = {
    type: "AdaptiveCard",
    body: [{ type: "TextBlock", wrap: true, text: "{text}" }],
    summary: "{text}",
  };
  const world = openNotifier({ teams: { kind: "webhook", url: "${env:HOOK}", body } }, { HOOK: `${server.url}/teams` });
  world.notifier.listen(passEnded("drifted", { drift: [known(name)] }));
  await world.notifier.close();
  const sent = JSON.parse(server.arrived.find(({ path }) => path === "/teams")?.text ?? "") as typeof body;
  expect(sent.summary).toContain(name);
  const text = sent.body[0]?.text ?? "";
  expect(text).toContain("\\[click\\](https:\u200b//evil.example) \\*now\\*");
  expect(text).not.toContain("://");
  expect(text).not.toMatch(/(?<!\\)[[\]*_`]/);
  expect(sent.body[0]).toMatchObject({ type: "TextBlock", wrap: true });
});
