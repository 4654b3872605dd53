import { describe, expect, it } from "vitest";
import { PlumblineError } from "../../src/core/errors.js";
import { observing } from "../../src/core/observe.js";
import type { HttpReply } from "../../src/http/message.js";
import { type Call, callWithRetries } from "../../src/http/retry.js";
import { backoff, type RetryPolicy, USUAL_BACKOFF } from "../../src/http/retry-policy.js";
import { CODE_HOST_RETRY } from "../../src/pull-request/rate-limit.js";
import { CONTRAIL_RETRY } from "../../src/targets/contrail/client/retry.js";
import { OPENSTACK_RETRY } from "../../src/targets/openstack-client/client/retry.js";
import { PANOS_RETRY } from "../../src/targets/panos/client/retry.js";
import { VERDICT_RETRY } from "../../src/verdict/retry.js";
import { dependencies, failure } from "../targets/panos/fixtures.js";

const failed = (code: string): PlumblineError => new PlumblineError(code, `it is ${code}`);
const reply = (headers: HttpReply["headers"] = {}): HttpReply => ({ status: 200, headers, body: Buffer.from("whole") });

/** Makes a call whose n-th attempt behaves like the n-th entry of `tries`; the last one repeats. */
function scripted(policy: RetryPolicy, tries: readonly (PlumblineError | HttpReply)[], more: Partial<Call<string>> = {}) {
  const injected = dependencies();
  const sent: number[] = [];
  const call: Call<string> = {
    target: "edge",
    kind: "panos",
    words: "PUT thing",
    peer: "the device",
    repeatable: true,
    send: async (attempt) => {
      sent.push(attempt);
      const next = tries[Math.min(attempt, tries.length) - 1];
      if (next === undefined || next instanceof Error) throw next ?? new Error("nothing was scripted");
      return next;
    },
    understand: ({ body }) => body.toString(),
    ...more,
  };
  return { sent, slept: injected.slept, logged: injected.logged, outcome: callWithRetries(call, policy, injected) };
}

type Row = [code: string, read: number, write: number, writeEndsAs: string];

/**
 * The number of attempts of a read and of a write that always fail this way, and the final error of the write. A read ends with the
 * original error.
 */
const tables: readonly [string, RetryPolicy, readonly Row[]][] = [
  [
    "the firewall",
    PANOS_RETRY,
    [
      ["device-unreachable", 4, 1, "device-unreachable"],
      ["request-timed-out", 4, 1, "reply-lost"],
      ["connection-lost", 4, 1, "reply-lost"],
      ["device-unavailable", 4, 1, "reply-lost"],
      ["session-timed-out", 4, 1, "reply-lost"],
      ["reply-empty", 4, 1, "reply-lost"],
      ["reply-not-well-formed", 4, 1, "reply-lost"],
      ["reply-html", 1, 1, "reply-lost"],
      ["reply-too-large", 1, 1, "reply-lost"],
      ["request-too-long", 1, 1, "request-too-long"],
      ["unexpected-http-status", 1, 1, "unexpected-http-status"],
      ["tls-pin-mismatch", 1, 1, "tls-pin-mismatch"],
      ["host-not-found", 1, 1, "host-not-found"],
      ["lease-lost", 1, 1, "lease-lost"],
    ],
  ],
  [
    "the cloud",
    OPENSTACK_RETRY,
    [
      ["service-unreachable", 4, 4, "service-unreachable"],
      ["cloud-rate-limited", 4, 4, "cloud-rate-limited"],
      ["cloud-service-failed", 4, 1, "cloud-service-failed"],
      ["cloud-service-unavailable", 4, 1, "cloud-service-unavailable"],
      ["request-timed-out", 2, 1, "reply-lost"],
      ["connection-lost", 4, 1, "reply-lost"],
      ["reply-empty", 4, 1, "reply-lost"],
      ["reply-not-json", 4, 1, "reply-lost"],
      ["reply-html", 1, 1, "reply-lost"],
      ["cloud-conflict", 1, 1, "cloud-conflict"],
      ["cloud-token-refused", 1, 1, "cloud-token-refused"],
      ["unexpected-http-status", 1, 1, "unexpected-http-status"],
      ["tls-client-certificate-unreadable", 1, 1, "tls-client-certificate-unreadable"],
      ["lease-lost", 1, 1, "lease-lost"],
    ],
  ],
  [
    "the controller",
    CONTRAIL_RETRY,
    [
      ["device-unreachable", 4, 1, "device-unreachable"],
      ["request-timed-out", 4, 1, "reply-lost"],
      ["connection-lost", 4, 1, "reply-lost"],
      ["controller-reply-broken", 4, 1, "reply-lost"],
      ["controller-reply-html", 1, 1, "reply-lost"],
      ["unexpected-http-status", 1, 1, "unexpected-http-status"],
      ["tls-untrusted", 1, 1, "tls-untrusted"],
      ["lease-lost", 1, 1, "lease-lost"],
    ],
  ],
  [
    "a code host",
    CODE_HOST_RETRY,
    [
      ["code-host-unavailable", 4, 1, "code-host-unavailable"],
      ["code-host-rate-limited", 4, 4, "code-host-rate-limited"],
      ["reply-too-large", 1, 1, "reply-too-large"],
    ],
  ],
];

describe.each(tables)("the policy of %s", (_, policy, rows) => {
  it.each(rows)("%s: a read is sent %i times, a write %i times, and the result is %s", async (code, read, write, end) => {
    const reading = scripted(policy, [failed(code)]);
    expect((await failure(reading.outcome)).code).toBe(code);
    expect(reading.sent).toHaveLength(read);
    const writing = scripted(policy, [failed(code)], { repeatable: false });
    expect((await failure(writing.outcome)).code).toBe(end);
    expect(writing.sent).toHaveLength(write);
  });

  it("lists every error that is retried", () => {
    const goesOn = rows.filter(([, read]) => read > 1).map(([code]) => code);
    const unavailable = policy === CONTRAIL_RETRY ? ["controller-unavailable"] : [];
    expect([...goesOn, ...unavailable].sort()).toEqual([...policy.repeatable, ...policy.any].sort());
  });
});

it.each([
  ["verdict-service-unavailable", 3],
  ["verdict-service-failed", 3],
  ["verdict-allotment-spent", 1],
  ["verdict-key-refused", 1],
  ["verdict-reply-broken", 1],
  ["tls-untrusted", 1],
])("the policy of the verdict service: %s is asked %i times", async (code, times) => {
  const { outcome, sent } = scripted(VERDICT_RETRY, [failed(code)]);
  expect((await failure(outcome)).code).toBe(code);
  expect(sent).toHaveLength(times);
});

describe("the attempts of a call", () => {
  it("end with the first reply, and wait longer each time", async () => {
    const { outcome, sent, slept } = scripted(PANOS_RETRY, [failed("connection-lost"), failed("device-unreachable"), reply()]);
    expect(await outcome).toBe("whole");
    expect(sent).toEqual([1, 2, 3]);
    expect(slept).toEqual([250, 500]);
  });

  it("are observed and logged without the request content", async () => {
    const told: string[] = [];
    const observer = {
      begin: () => ({ inside: observer, end: () => undefined }),
      repeat: ({ target, kind }: { target: string; kind: string }) => void told.push(`${kind} ${target}`),
    };
    const run = observing(observer, () => scripted(PANOS_RETRY, [failed("connection-lost"), reply()]));
    await run.outcome;
    expect(told).toEqual(["panos edge"]);
    expect(run.logged).toEqual(['asking again {"target":"edge","call":"PUT thing","code":"connection-lost","attempt":1,"delay":250}']);
  });

  it("stop after an internal error", async () => {
    const { outcome, sent } = scripted(PANOS_RETRY, [reply()], {
      understand: () => {
        throw new TypeError("a bug");
      },
    });
    await expect(outcome).rejects.toThrow("a bug");
    expect(sent).toEqual([1]);
  });

  it("continue after a reply that reports a failure, and return the last one", async () => {
    const { outcome, sent } = scripted(CONTRAIL_RETRY, [reply()], { failureIn: () => failed("controller-unavailable") });
    expect(await outcome).toBe("whole");
    expect(sent).toHaveLength(4);
  });

  it("return such a reply to a write immediately", async () => {
    const { outcome, sent } = scripted(CONTRAIL_RETRY, [reply()], {
      repeatable: false,
      failureIn: () => failed("controller-unavailable"),
    });
    expect(await outcome).toBe("whole");
    expect(sent).toHaveLength(1);
  });

  it("report the request and the reason of a lost reply", async () => {
    const lost = await failure(scripted(PANOS_RETRY, [failed("connection-lost")], { repeatable: false }).outcome);
    expect(lost.message).toBe("the reply to a write (PUT thing) was lost: it is connection-lost");
    expect(lost).toMatchObject({ where: { target: "edge" }, next: "Run again: the device is read before anything is repeated." });
  });

  const busy = (seconds: string) =>
    scripted(OPENSTACK_RETRY, [reply({ "retry-after": seconds }), reply()], {
      understand: ({ headers, body }) => {
        if (headers["retry-after"] !== undefined) throw failed("cloud-rate-limited");
        return body.toString();
      },
    });

  it("wait as long as a service requests, and never less than the minimum", async () => {
    for (const [asked, waits] of [
      ["7", 7_000],
      ["60", 60_000],
      ["0", 250],
      ["Wed, 21 Oct 2026 07:28:00 GMT", 250],
    ] as const) {
      const { outcome, slept } = busy(asked);
      expect(await outcome).toBe("whole");
      expect(slept).toEqual([waits]);
    }
  });

  it("end if a service requests more than a minute", async () => {
    const { outcome, slept } = busy("61");
    expect((await failure(outcome)).code).toBe("cloud-rate-limited");
    expect(slept).toEqual([]);
  });

  it("come earlier if the host requests it and the policy allows it", async () => {
    const { outcome, slept } = scripted(CODE_HOST_RETRY, [reply({ "x-reset": "1" }), reply()], {
      requestedWait: ({ headers }) => (headers["x-reset"] === undefined ? undefined : 1),
      understand: ({ headers, body }) => {
        if (headers["x-reset"] !== undefined) throw failed("code-host-rate-limited");
        return body.toString();
      },
    });
    expect(await outcome).toBe("whole");
    expect(slept).toEqual([1]);
  });

  it("ignore such a request if the policy does not allow it", async () => {
    const { outcome, slept } = scripted(PANOS_RETRY, [reply({ "retry-after": "600" }), reply()], {
      understand: ({ headers, body }) => {
        if (headers["retry-after"] !== undefined) throw failed("device-unavailable");
        return body.toString();
      },
    });
    expect(await outcome).toBe("whole");
    expect(slept).toEqual([250]);
  });
});

it("the delay doubles up to its maximum, with half of it random", () => {
  const nexts = [2, 3, 4, 5, 6, 7];
  expect(nexts.map((next) => backoff(USUAL_BACKOFF, next, () => 0.999_999))).toEqual([499, 999, 1999, 3999, 7999, 7999]);
  expect(nexts.map((next) => backoff(USUAL_BACKOFF, next, () => 0))).toEqual([0, 0, 0, 0, 0, 0]);
  expect(nexts.map((next) => backoff({ ...USUAL_BACKOFF, jitter: "half" }, next, () => 0))).toEqual([250, 500, 1000, 2000, 4000, 4000]);
});
