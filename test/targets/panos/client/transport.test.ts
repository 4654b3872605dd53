import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../../src/core/secret.js";
import { getConfiguration } from "../../../../src/targets/panos/client/commands.js";
import type { PanosRequest } from "../../../../src/targets/panos/client/request.js";
import { PanosTransport } from "../../../../src/targets/panos/client/transport.js";
import type { PanosOptions } from "../../../../src/targets/panos/dependencies.js";
import type { PanosTargetConfiguration } from "../../../../src/targets/panos/settings.js";
import { configuration, dependencies, done, failure, found, invalidCredential, KEY, keyReply, PASSWORD, result } from "../fixtures.js";
import { type Answer, type Script, scriptedDevice } from "../scripted-device.js";

async function client(script: Script, overrides: Partial<PanosTargetConfiguration> = {}, options: PanosOptions = {}, pause = 0) {
  const device = await scriptedDevice(script, undefined, pause);
  const injected = dependencies();
  return { device, injected, client: new PanosTransport(device.url, configuration(device.url, overrides), injected, options) };
}

const withKey =
  (answer: Answer): Script =>
  (asked) =>
    asked.call === "keygen" ? keyReply : answer;
const read = getConfiguration("candidate", "/config/shared/address");
const op = (cmd: string): PanosRequest => ({
  parameters: [
    ["type", "op"],
    ["cmd", cmd],
  ],
  repeatable: true,
});
const write: PanosRequest = {
  parameters: [
    ["type", "config"],
    ["action", "set"],
    ["xpath", "/config/shared"],
    ["element", "<address/>"],
  ],
  repeatable: false,
};

describe("sending a request", () => {
  it("uses GET for a short plain one with the key as parameter, as in the specification", async () => {
    const { client: panos, device } = await client(withKey(found("<address/>")));
    await panos.send(getConfiguration("candidate", "/config/shared/tag/entry[@name='a b+c&d']"));
    const asked = device.asked.at(-1);
    expect(asked?.method).toBe("GET");
    expect(asked?.path).toBe("/api/");
    expect([...(asked?.params ?? [])]).toEqual([
      ["type", "config"],
      ["action", "get"],
      ["xpath", "/config/shared/tag/entry[@name='a b+c&d']"],
      ["key", KEY],
    ]);
    await panos.close();
  });

  it.each([
    ["longer than 2 KB", op(`<show>${"x".repeat(2048)}</show>`)],
    ["not ASCII", op("<show>ü</show>")],
    ["sensitive", { ...write, sensitive: true }],
  ])("sends one that is %s by POST", async (_, request) => {
    const { client: panos, device } = await client(withKey(done));
    await panos.send(request);
    expect(device.asked.at(-1)?.method).toBe("POST");
    expect(device.asked.at(-1)?.params.get("type")).toBe(request.parameters[0]?.[1]);
    await panos.close();
  });

  it("uses the configured method, also for passwords", async () => {
    for (const http of ["get", "post"] as const) {
      const { client: panos, device } = await client(withKey(done), { http });
      await panos.send(op(`<show>${"x".repeat(3000)}</show>`));
      expect(device.asked.map(({ method }) => method)).toEqual([http.toUpperCase(), http.toUpperCase()]);
      await panos.close();
    }
  });

  it("creates a key by POST, with a password of special characters", async () => {
    const { client: panos, device } = await client(withKey(done));
    await panos.send(read);
    const [keygen] = device.asked;
    expect(keygen?.method).toBe("POST");
    expect(keygen?.params.get("password")).toBe(PASSWORD);
    expect(keygen?.params.get("key")).toBeNull();
    await panos.close();
  });

  it("puts the key in a header if configured, and nowhere else", async () => {
    const { client: panos, device } = await client(withKey(done), { keyIn: "header" });
    await panos.send(read);
    expect(device.asked.at(-1)?.headers["x-pan-key"]).toBe(KEY);
    expect(device.asked.at(-1)?.params.get("key")).toBeNull();
    await panos.close();
  });

  it("accepts a url with /api/ or another path", async () => {
    for (const [path, expected] of [
      ["/api/", "/api/"],
      ["/api", "/api/"],
      ["/fw1/", "/fw1/api/"],
    ]) {
      const { device, injected } = await client(withKey(done));
      const panos = new PanosTransport(device.url + path, configuration(device.url), injected, {});
      await panos.send(read);
      expect(device.asked.at(-1)?.path).toBe(expected);
      await panos.close();
    }
  });

  it("keeps connections, and at most five parallel requests", async () => {
    const { client: panos, device } = await client(withKey(done), {}, {}, 10);
    await Promise.all(Array.from({ length: 20 }, () => panos.send(read)));
    expect(device.busiest()).toBe(5);
    expect(device.sockets()).toBeLessThanOrEqual(5);
    await panos.close();
  });

  it("sends one write at a time", async () => {
    const { client: panos, device } = await client(withKey(done), {}, {}, 10);
    await Promise.all(Array.from({ length: 4 }, () => panos.send(write)));
    expect(device.busiest()).toBe(1);
    await panos.close();
  });
});

describe("the key", () => {
  it("is used as configured, without creating one", async () => {
    const { client: panos, device } = await client(() => done, { credentials: { apiKey: new SecretValue("OURS", "${env:KEY}") } });
    await panos.send(read);
    expect(device.asked.map(({ params }) => params.get("key"))).toEqual(["OURS"]);
    await panos.close();
  });

  it("is created again once when it is refused, for all refused requests together", async () => {
    let keys = 0;
    const { client: panos, device } = await client(({ call, params }) => {
      if (call === "keygen") return keyReply.replace(KEY, `K${++keys}`);
      return params.get("key") === "K1" ? invalidCredential : done;
    });
    const replies = await Promise.all(Array.from({ length: 8 }, () => panos.send(read)));
    expect(replies.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 20));
    expect(device.asked.filter(({ call }) => call === "keygen")).toHaveLength(2);
    await panos.close();
  });

  it("is not created a third time", async () => {
    const { client: panos, device } = await client(({ call }) => (call === "keygen" ? keyReply : invalidCredential));
    expect((await failure(panos.send(read))).code).toBe("credential-refused");
    expect((await failure(panos.send(write))).code).toBe("credential-refused");
    expect(device.asked.filter(({ call }) => call === "keygen")).toHaveLength(2);
    await panos.close();
  });

  it("is also created again for a write, because a refused one was not executed", async () => {
    let keys = 0;
    const { client: panos } = await client(({ call, params }) =>
      call === "keygen" ? keyReply.replace(KEY, `K${++keys}`) : params.get("key") === "K1" ? invalidCredential : done,
    );
    expect((await panos.send(write)).code).toBe(20);
    await panos.close();
  });

  it("is not created again for a missing permission", async () => {
    const { client: panos, device } = await client(
      withKey({
        http: 403,
        body: "<response status = 'error' code = '403'><result><msg>Type [commit] not authorized for user role</msg></result></response>",
      }),
    );
    expect((await panos.send(read)).lines).toEqual(["Type [commit] not authorized for user role"]);
    expect(device.asked.filter(({ call }) => call === "keygen")).toHaveLength(1);
    await panos.close();
  });

  it("is shared by the clients of one process", async () => {
    const { client: first, device, injected } = await client(withKey(done));
    const second = new PanosTransport(device.url, configuration(device.url), injected, {});
    await Promise.all([first.send(read), second.send(read)]);
    expect(device.asked.filter(({ call }) => call === "keygen")).toHaveLength(1);
    await Promise.all([first.close(), second.close()]);
  });

  it("refused for a wrong password is reported without the password", async () => {
    const { client: panos } = await client(() => invalidCredential);
    const error = await failure(panos.send(read));
    expect(error.code).toBe("login-refused");
    expect(error.message).toContain("netops");
    expect(JSON.stringify([error.message, error.next])).not.toContain(PASSWORD);
    await panos.close();
  });

  it("requires credentials", async () => {
    const { client: panos } = await client(() => done, { credentials: { username: "netops" } });
    expect((await failure(panos.send(read))).code).toBe("credentials-missing");
    await panos.close();
  });
});

describe("an invalid reply", () => {
  const html = "<html><head><title>414 Request-URI Too Large</title></head></html>";
  const cases: readonly (readonly [string, Answer, string])[] = [
    ["HTML with status 200", { body: html, type: "text/html" }, "reply-html"],
    ["HTML that is called XML", { body: "<!DOCTYPE html><html></html>", type: "text/html; charset=utf-8" }, "reply-html"],
    ["HTML with status 414", { http: 414, body: html, type: "text/html" }, "request-too-long"],
    ["raw HTML without a status line", { raw: html }, "reply-not-http"],
    ["another content type", { body: "{}", type: "application/json" }, "reply-content-type"],
    ["XML under another content type", { body: done, type: "text/plain" }, "reply-content-type"],
    ["XML that is cut short", found("<address><entry name='a'/><entry name='b'/></address>").slice(0, -40), "reply-not-well-formed"],
    ["HTML in the place of XML", { body: html }, "reply-not-a-response"],
    ["an empty reply", { body: "" }, "reply-empty"],
    ["fewer bytes than announced", { body: "<response", length: 5000 }, "connection-lost"],
    ["a dropped connection", "drop", "connection-lost"],
    ["a gateway's error", { http: 504, body: html, type: "text/html" }, "device-unavailable"],
    ["a busy server", { http: 503, body: "", type: "" }, "device-unavailable"],
    ["a page that is not there", { http: 404, body: html, type: "text/html" }, "unexpected-http-status"],
    ["a refusal without XML", { http: 403, body: html, type: "text/html" }, "unexpected-http-status"],
    [
      "a session that timed out",
      `<response status="error" code="22"><msg><line>Session timed out</line></msg></response>`,
      "session-timed-out",
    ],
  ];

  it.each(cases)("is reported with a next step: %s", async (_, answer, code) => {
    const { client: panos } = await client(withKey(answer));
    const error = await failure(panos.send(read));
    expect(error.code).toBe(code);
    expect(error.next).toMatch(/\w/);
    expect(error.where.target).toBe("edge");
    await panos.close();
  });

  it("is a timeout for a silent device", async () => {
    const { client: panos, device } = await client(withKey("hang"), { timeout: 0.2, http: "post" });
    expect((await failure(panos.send(write))).message).toContain("did not answer in time");
    expect(device.asked).toHaveLength(2);
    await panos.close();
  });

  it("is read up to the limit, announced or not", async () => {
    const body = found(`<address>${"<entry name='a'/>".repeat(100)}</address>`);
    for (const answer of [body, { body, length: body.length }] as Answer[]) {
      const { client: panos } = await client(withKey(answer), {}, { maxReplyBytes: 500 });
      expect((await failure(panos.send(read))).code).toBe("reply-too-large");
      await panos.close();
    }
  });

  it("may be XML without a content type", async () => {
    const { client: panos } = await client(withKey({ body: done, type: "" }));
    expect((await panos.send(read)).code).toBe(20);
    await panos.close();
  });

  it("is reported for a closed port", async () => {
    const injected = dependencies();
    const panos = new PanosTransport("http://127.0.0.1:1", configuration("http://127.0.0.1:1"), injected, {});
    expect((await failure(panos.send(read))).code).toBe("device-unreachable");
    expect(injected.slept).toHaveLength(3);
    await panos.close();
  });
});

describe("retries", () => {
  const flaky =
    (failures: number, answer: Answer): Script =>
    (asked, count) =>
      asked.call === "keygen" ? keyReply : count <= failures ? answer : done;

  it.each(["drop", { http: 503, body: "", type: "" }, { body: "" }, "<response><res"] as Answer[])(
    "repeat a read after a temporary failure, with growing delays (%j)",
    async (answer) => {
      const { client: panos, injected } = await client(flaky(3, answer));
      expect((await panos.send(read)).code).toBe(20);
      expect(injected.slept).toEqual([250, 500, 1000]);
      await panos.close();
    },
  );

  it("stop after four attempts", async () => {
    const { client: panos, device } = await client(flaky(9, "drop"));
    expect((await failure(panos.send(read))).code).toBe("connection-lost");
    expect(device.asked.filter(({ call }) => call === "config/get")).toHaveLength(4);
    await panos.close();
  });

  it.each(["drop", { http: 504, body: "", type: "" }, { body: "" }, "<response><res", { raw: "<html>" }] as Answer[])(
    "never repeat a write, and report that its reply is lost (%j)",
    async (answer) => {
      const { client: panos, device } = await client(flaky(9, answer));
      const error = await failure(panos.send(write));
      expect(error.code).toBe("reply-lost");
      expect(device.asked.filter(({ call }) => call === "config/set")).toHaveLength(1);
      await panos.close();
    },
  );

  it("do not call a write lost that was refused or never sent", async () => {
    const { client: panos } = await client(withKey({ http: 414, body: "<html/>", type: "text/html" }));
    expect((await failure(panos.send(write))).code).toBe("request-too-long");
    await panos.close();
    const injected = dependencies();
    injected.keys.set("http://127.0.0.1:1 netops", Promise.resolve(new SecretValue("K", "key")));
    const unreachable = new PanosTransport("http://127.0.0.1:1", configuration("http://127.0.0.1:1"), injected, {});
    expect((await failure(unreachable.send(write))).code).toBe("device-unreachable");
    await unreachable.close();
  });
});

describe("log messages", () => {
  it("never contain key, password, element or query", async () => {
    const { client: panos, injected } = await client((asked, count) => (asked.call === "keygen" ? keyReply : count < 2 ? "drop" : done));
    await panos.send(getConfiguration("candidate", "/config/shared/SECRETPATH"));
    const lost = await failure(panos.send({ ...write, parameters: [...write.parameters, ["element", "<x>TOPSECRET</x>"]] }));
    const told = [...injected.logged, lost.message, lost.next, String(lost.cause), JSON.stringify(lost)].join("\n");
    expect(injected.logged.length).toBeGreaterThan(2);
    for (const word of [KEY, PASSWORD, encodeURIComponent(PASSWORD), "TOPSECRET", "SECRETPATH", "xpath="]) expect(told).not.toContain(word);
    expect(told).toContain("config get");
    await panos.close();
  });
});

describe("the five forms of refusals", () => {
  it.each([
    [`<response status="success" code="20"><msg>command succeeded</msg></response>`, 20, ["command succeeded"]],
    [
      `<response status="error" code="12"><msg><line><![CDATA[ tf123 -> server -> first server  is invalid. a]]></line><line>b</line></msg></response>`,
      12,
      ["tf123 -> server -> first server  is invalid. a", "b"],
    ],
    [
      `<response status="error" code="12"><msg><line><line><![CDATA[ p -> port value=99999 should be equal to or between 1 and 65535]]></line></line></msg></response>`,
      12,
      ["p -> port value=99999 should be equal to or between 1 and 65535"],
    ],
    [
      `<response status = 'error' code = '400'><result><msg>Parameter &quot;format&quot; is required</msg></result></response>`,
      400,
      [`Parameter "format" is required`],
    ],
    [`<response status="error"><msg><line>No such node</line></msg></response>`, undefined, ["No such node"]],
    [result("<x/>"), undefined, []],
  ])("reads %s", async (xml, code, lines) => {
    const { client: panos } = await client(withKey(xml));
    expect(await panos.send(read)).toMatchObject({ code, lines });
    await panos.close();
  });
});
