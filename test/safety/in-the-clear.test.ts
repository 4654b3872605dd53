import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPostgres } from "../../src/agent/store/postgres.js";
import { traceSettings } from "../../src/agent/traces/settings.js";
import { PlumblineError, PlumblineErrors } from "../../src/core/errors.js";
import { isPlaintext } from "../../src/core/plaintext-http.js";
import { readConfiguration } from "../../src/desired/configuration/read.js";
import { Connection } from "../../src/http/connection.js";
import { hostSettings } from "../../src/pull-request/settings.js";
import { kinds } from "../../src/targets/registry.js";
import { serviceSettings } from "../../src/verdict/settings.js";
import { known, passEnded } from "../agent/events.js";
import { SmtpServer } from "../agent/notify/smtp-server.js";
import { openNotifier } from "../agent/notify/world.js";
import { AgentWorld } from "../agent/world.js";
import { dependencies } from "../targets/panos/fixtures.js";

// An attacker on the network path gets the credentials unless TLS protects them. No mistake in the configuration disables TLS.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plumbline-clear-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function problems(targets: string, environment: Readonly<Record<string, string>> = {}, resolveSecrets = true) {
  const file = join(folder, "plumbline.yaml");
  writeFileSync(file, `format: 1\nowner: o\ndocuments: [d]\ntargets:\n${targets}`);
  return await readConfiguration(file, { environment: { WORD: "word", ...environment }, kinds, resolveSecrets }).then(
    () => [],
    (error: unknown) =>
      error instanceof PlumblineErrors ? error.errors.map(({ code, where }) => `${code} ${where.line}`) : [String(error)],
  );
}

const LOGIN = 'username: u, password: "${env:WORD}"';
const firewall = (url: string, more = "") => `  edge: { kind: panos, url: "${url}", ${more} credentials: { ${LOGIN} } }\n`;

describe("an address in the file", () => {
  it.each([
    ["a firewall", firewall("http://192.0.2.10")],
    ["its peer", firewall("https://192.0.2.10", 'peers: ["http://192.0.2.11"],')],
    ["a name that only begins like this machine's", firewall("http://localhost.example.net")],
    ["a cloud", `  c: { kind: openstack, url: "http://192.0.2.9/v3", credentials: { ${LOGIN} } }\n`],
    ["an endpoint of a cloud", '  c: { kind: openstack, cloud: lab, endpoints: { network: "http://192.0.2.9" } }\n'],
    ["a controller with a user", `  n: { kind: contrail, url: "http://192.0.2.8", auth: { ${LOGIN} } }\n`],
  ])("of %s is refused, by validate too", async (_, targets) => {
    expect(await problems(targets)).toEqual(["address-in-the-clear 5"]);
    expect(await problems(targets, {}, false)).toEqual(["address-in-the-clear 5"]);
    expect(await problems(targets.replace(" }\n", ", tls: { plaintext: true } }\n"))).toEqual([]);
  });

  it.each([
    ["is this machine's own", `${firewall("http://127.0.0.1:8080")}${firewall("http://[::1]").replace("edge", "b")}`],
    ["is asked without a log-in", '  n: { kind: contrail, url: "http://192.0.2.8" }\n'],
  ])("that %s needs no word", async (_, targets) => {
    expect(await problems(targets)).toEqual([]);
  });

  it("is the same from the environment", async () => {
    expect(await problems(firewall("https://192.0.2.10"), { PLUMBLINE_TARGET_EDGE_URL: "http://192.0.2.10" })).toEqual([
      "address-in-the-clear 5",
    ]);
  });
});

describe("an address from elsewhere (a catalog, clouds.yaml, a variable)", () => {
  async function failing(plaintext: boolean, isAnonymous: boolean, origin = "http://192.0.2.10"): Promise<string> {
    let opened = 0;
    const injected = {
      ...dependencies(),
      dispatcher: () => {
        opened += 1;
        throw new PlumblineError("device-unreachable", "a pool was asked for");
      },
    };
    const common = { peer: "the cloud", timeout: 1, connections: 1, maxReplyBytes: 1 };
    const options = { ...common, place: { target: "c", origin }, tls: { insecure: false, plaintext }, isAnonymous };
    const error = await new Connection(options, injected).open().catch((cause: unknown) => cause);
    return `${(error as PlumblineError).code} ${opened}`;
  }

  it("is not contacted at all", async () => {
    expect(await failing(false, false)).toBe("address-in-the-clear 0");
    expect(await failing(true, false)).toBe("device-unreachable 1");
    expect(await failing(false, true)).toBe("device-unreachable 1");
    expect(await failing(false, false, "http://127.0.0.2:80")).toBe("device-unreachable 1");
  });

  it("of the verdict service has its own flag", async () => {
    const said = { PLUMBLINE_VERDICT_URL: "http://192.0.2.10", PLUMBLINE_VERDICT_KEY: "key" };
    expect((await serviceSettings({}, said, folder)).tls.plaintext).toBe(false);
    expect((await serviceSettings({ plaintext: true }, said, folder)).tls.plaintext).toBe(true);
  });
});

describe("credentials of other services", () => {
  const code = async (work: () => unknown): Promise<string> => {
    try {
      await work();
      return "sent";
    } catch (error) {
      return error instanceof PlumblineError ? error.code : String(error);
    }
  };

  it.each([
    [
      "the token of a commit status",
      'kind: commit-status, host: gitea, repository: o/r, api: "http://192.0.2.7/api/v1", token: "${env:WORD}"',
    ],
    ["an address that is secret", 'kind: webhook, url: "http://192.0.2.7/${env:WORD}"'],
  ])("%s is refused in the file of notifications", async (_, channel) => {
    const targets = (more: string) => `${firewall("https://192.0.2.10")}agent:\n  notify:\n    a: { ${channel}${more} }\n`;
    expect(await problems(targets(""), {}, false)).toEqual(["address-in-the-clear 8"]);
    expect(await problems(targets(", plaintext: true"))).toEqual([]);
    expect(await problems(targets("").replace("192.0.2.7", "127.0.0.1"))).toEqual([]);
  });

  it.each([
    ["slack", {}, "address-in-the-clear"],
    ["webhook", {}, "address-in-the-clear"],
    ["slack", { plaintext: true }, "notification-not-sent"],
  ] as const)("no address behind a reference is posted to: %s %o", async (kind, more, expected) => {
    // It is this machine by address, and no service listens there.
    const world = openNotifier({ chat: { kind, url: "${env:CHAT}", ...more } }, { CHAT: "http://0.0.0.0:9/secret-path" });
    world.notifier.listen(passEnded("drifted", { drift: [known("web")] }));
    await world.until(1);
    await world.notifier.close();
    expect((world.deliveries[0]?.error as PlumblineError | undefined)?.code).toBe(expected);
    expect(inspect(world.deliveries)).not.toContain("secret-path");
  });

  it("are sent by mail only with TLS, unless the channel is configured otherwise", async () => {
    const server = await SmtpServer.start();
    const sent = async (more: object): Promise<unknown> => {
      const url = server.url.replace("127.0.0.1", "0.0.0.0");
      const mail = {
        kind: "email",
        server: url,
        username: "u",
        password: "${env:MAIL}",
        from: "a@example.net",
        to: ["b@example.net"],
      } as const;
      const world = openNotifier({ mail: { ...mail, ...more } }, { MAIL: "mail-pw" });
      world.notifier.listen(passEnded("drifted", { drift: [known("web")] }));
      await world.until(1);
      await world.notifier.close();
      return (world.deliveries[0]?.error as PlumblineError | undefined)?.code;
    };
    expect(await sent({})).toBe("notification-not-sent");
    expect(server.mails).toEqual([]);
    expect(await sent({ plaintext: true })).toBeUndefined();
    await server.close();
  });

  it("are not sent to a code host", async () => {
    const host = {
      PLUMBLINE_HOST: "gitea",
      PLUMBLINE_REPOSITORY: "o/r",
      PLUMBLINE_TOKEN: "word",
      PLUMBLINE_API_URL: "http://192.0.2.7/api/v1",
    };
    expect(await code(() => hostSettings({}, host))).toBe("address-in-the-clear");
    expect(await code(() => hostSettings({ plaintext: true }, host))).toBe("sent");
    expect(await code(() => hostSettings({}, { ...host, PLUMBLINE_API_PLAINTEXT: "true" }))).toBe("sent");
    expect(await code(() => hostSettings({}, { ...host, PLUMBLINE_API_URL: "http://127.0.0.1/api/v1" }))).toBe("sent");
  });

  it("are not sent to a git server", async () => {
    const opened = async (url: string, environment: Record<string, string>): Promise<string> => {
      const world = await AgentWorld.start();
      try {
        Object.assign(world.environment, environment);
        world.watched = url;
        return await code(() => world.openAgent());
      } finally {
        await world.end();
        await world.close();
      }
    };
    const url = "http://192.0.2.7/desired.git";
    expect(await opened(url, { PLUMBLINE_GIT_PASSWORD: "word" })).toBe("address-in-the-clear");
    expect(await opened(url, {})).toBe("sent");
    expect(await opened(url, { PLUMBLINE_GIT_PASSWORD: "word", PLUMBLINE_GIT_PLAINTEXT: "true" })).toBe("sent");
  });

  it("are not sent to a collector of traces", async () => {
    const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://192.0.2.7:4318" };
    const key = { OTEL_EXPORTER_OTLP_HEADERS: "authorization=word" };
    expect(await code(() => traceSettings(collector))).toBe("sent");
    expect(await code(() => traceSettings({ ...collector, ...key }))).toBe("address-in-the-clear");
    expect(await code(() => traceSettings({ ...collector, ...key, OTEL_EXPORTER_OTLP_INSECURE: "true" }))).toBe("sent");
  });

  it.each([
    ["postgres://u:word@192.0.2.7/db", "address-in-the-clear"],
    ["postgres://u:word@db.example.net:5433/db?ssl=0", "address-in-the-clear"],
    ["postgres://u:word@db.example.net/db?sslmode=disable", "sent"],
    ["postgres://u:word@db.example.net/db?sslmode=verify-full", "sent"],
    ["postgres://u:word@db.example.net/db?host=/run/postgresql", "sent"],
    ["postgres://u:word@127.0.0.1/db", "sent"],
    ["postgres://u:word@[::1]:5432/db", "sent"],
  ])("is not shown to a database: %s", async (url, expected) => {
    expect(await code(() => openPostgres(url, { readOnly: true }).close())).toBe(expected);
  });
});

it.each([
  ["http://127.0.0.1:9", false],
  ["http://127.1", false],
  ["http://localhost", false],
  ["http://[::1]:80", false],
  ["https://192.0.2.1", false],
  ["http://127.example.net", true],
  ["http://[::ffff:7f00:1]", true],
  ["http://0.0.0.0", true],
  ["HTTP://192.0.2.1", true],
])("%s is in the clear: %s", (address, expected) => {
  expect(isPlaintext(address)).toBe(expected);
});
