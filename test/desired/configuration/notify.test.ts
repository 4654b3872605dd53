import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { PlumblineErrors } from "../../../src/core/errors.js";
import { TOPICS } from "../../../src/desired/configuration/notify-schema.js";
import { loadConfiguration } from "../../../src/desired/load.js";
import { kinds } from "../../../src/targets/registry.js";

const folder = mkdtempSync(join(tmpdir(), "plumbline-notify-"));
const file = join(folder, "plumbline.yaml");
afterAll(() => rmSync(folder, { recursive: true }));

async function notify(text: string) {
  const head = "format: 1\nowner: netops\ndocuments: [edge]\ntargets: { edge: { kind: memory, file: edge.xml } }\n";
  writeFileSync(file, `${head}${text}`);
  const { agent } = await loadConfiguration(file, { environment: {}, kinds, resolveSecrets: true });
  return agent.notify;
}

const example = /```yaml\n([\s\S]*?)```/.exec(readFileSync("docs/notifications.md", "utf8"))?.[1] ?? "";

describe("agent.notify", () => {
  it("is empty by default", async () => {
    expect(await notify("")).toEqual({});
  });

  it("accepts the example of the documentation without reading its secrets", async () => {
    const channels = await notify(example);
    expect(Object.entries(channels).map(([name, { kind }]) => [name, kind])).toEqual([
      ["ops-chat", "slack"],
      ["night-mail", "email"],
      ["ticket", "webhook"],
      ["status", "commit-status"],
    ]);
    expect(channels["night-mail"]).toMatchObject({ password: "${file:/run/secrets/mail}", on: ["failed", "heal-guard", "source"] });
  });

  it("has a row in the documentation for each event", () => {
    const page = readFileSync("docs/notifications.md", "utf8");
    const rows = [...page.matchAll(/^\| ((?:`[a-z-]+`(?:, )?)+) \|/gm)].flatMap(([, names = ""]) => names.replaceAll("`", "").split(", "));
    expect(rows.sort()).toEqual([...TOPICS].sort());
  });

  it.each([
    ["{ kind: slack, url: https://hooks.example/T/secret }", "an address that is a secret as plain text"],
    ["{ kind: webhook, url: https://x.example, secret: hunter2 }", "a key as plain text"],
    ['{ kind: email, server: "smtp://u:pw@mail.example", from: a, to: [b] }', "a password in an address"],
    ["{ kind: commit-status, host: github, repository: a/b, token: ghp_x }", "a token as plain text"],
    ["{ kind: webhook, url: https://x.example, on: [drfit] }", "a change that is none"],
    ["{ kind: webhook, url: https://x.example, colour: red }", "a key that is none"],
    ["{ kind: pager, url: https://x.example }", "a kind that is none"],
    ["{ kind: email, server: smtp://mail.example, from: a }", "mail to nobody"],
  ])("refuses %s: %s", async (channel) => {
    const error = await notify(`agent: { notify: { ops: ${channel} } }\n`).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(PlumblineErrors);
    const { errors } = error as PlumblineErrors;
    expect(errors.map(({ code }) => code)).toContain("configuration-invalid");
    for (const { where, message } of errors) {
      expect(where.line).toBe(5);
      expect(message).not.toMatch(/hunter2|ghp_x|T\/secret|u:pw/);
    }
  });
});
