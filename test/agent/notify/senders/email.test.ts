import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EmailSettings } from "../../../../src/desired/configuration/notify.js";
import { known, passEnded, T0 } from "../../events.js";
import { SmtpServer } from "../smtp-server.js";
import { memory, type NotifyWorld, openNotifier } from "../world.js";

let server: SmtpServer;
const open: NotifyWorld[] = [];

beforeEach(async () => {
  server = await SmtpServer.start();
});

afterEach(async () => {
  for (const { notifier } of open.splice(0)) await notifier.close();
  await server.close();
});

function mailing(more: Partial<EmailSettings> = {}, environment: Record<string, string> = {}): NotifyWorld {
  const settings = {
    kind: "email",
    server: server.url,
    from: "plumbline@example.net",
    to: ["a@example.net", "b@example.net"],
    ...more,
  } as const;
  const world = openNotifier({ mail: settings }, environment, memory());
  open.push(world);
  return world;
}

describe("mail", () => {
  it("contains change, time, author and command, for every recipient", async () => {
    const world = mailing();
    world.notifier.listen(passEnded("drifted", { drift: [known("web", T0 - 250_000)] }));
    await world.until(1);
    expect(world.deliveries).toEqual([{ channel: "mail", error: undefined }]);
    const [mail] = server.mails;
    expect(mail).toMatchObject({ from: "plumbline@example.net", to: ["a@example.net", "b@example.net"] });
    expect(mail?.text).toMatch(/^Subject: \[plumbline\] edge differs from the repository\r$/m);
    expect(mail?.text).toMatch(/^Message-ID: <[0-9a-f]{32}@plumbline>\r$/im);
    expect(mail?.text).toMatch(/^Auto-Submitted: auto-generated\r$/im);
    const body = mail?.text.split("\r\n\r\n")[1]?.replaceAll("=\r\n", "").replaceAll("=3D", "=").split("\r\n");
    expect(body).toEqual([
      "edge differs from the repository",
      "  /config/shared/address/entry[@name='web']  is not declared",
      "  since 2026-01-05 11:55 UTC (4 m 10 s)",
      "  by alice",
      "  $ plumbline drift --target edge",
    ]);
  });

  it("logs in if configured, and is retried after server errors", async () => {
    const world = mailing({ username: "plumbline", password: "${env:MAIL_PW}" }, { MAIL_PW: "mail-pw" });
    server.refusals.push("451 4.3.0 later");
    const slept = world.clock.nextSleep();
    world.notifier.listen(passEnded("drifted", { drift: [known("web")] }));
    await world.until(1);
    await slept;
    world.clock.advance(60_000);
    await world.until(2);
    expect(world.deliveries.map(({ error }) => error === undefined)).toEqual([false, true]);
    expect(server.mails.map(({ user }) => user)).toEqual(["plumbline"]);
  });

  it("never shows its password, whatever the server answers", async () => {
    const world = mailing({ username: "plumbline", password: "${env:MAIL_PW}" }, { MAIL_PW: "hunter2" });
    world.notifier.listen(passEnded("drifted", { drift: [known("web")] }));
    await world.until(1);
    const message = String(world.deliveries[0]?.error);
    expect(message).toContain("EAUTH");
    expect(message).not.toMatch(/hunter2|mail-pw/);
  });

  it("has headers that text from elsewhere cannot extend", async () => {
    const world = mailing();
    const pause = { target: undefined, reason: "x", by: "eve", since: T0, until: undefined };
    world.notifier.listen({ type: "rollout-stopped", commit: "c1", failed: "edge\r\nBcc: eve@example.net", left: [], time: T0 });
    world.notifier.listen({ type: "paused", pause: { ...pause, reason: "\r\n.\r\nMAIL FROM:<eve@example.net>" }, time: T0 });
    await world.notifier.close();
    expect(server.mails.length).toBeGreaterThan(0);
    for (const { to, text } of server.mails) {
      expect(to).toEqual(["a@example.net", "b@example.net"]);
      expect(text.split("\r\n\r\n")[0]).not.toMatch(/^Bcc:/im);
    }
    expect(server.mails.flatMap(({ from }) => from)).not.toContain("eve@example.net");
  });
});
