import { describe, expect, it } from "vitest";
import { SecretValue } from "../../../../src/core/secret.js";
import { OpenstackError, REFUSALS } from "../../../../src/targets/openstack-client/client/openstack-error.js";
import { parseCloudReply } from "../../../../src/targets/openstack-client/client/parse-reply.js";
import type { RawReply } from "../../../../src/targets/openstack-client/client/reply.js";
import type { ServiceType } from "../../../../src/targets/openstack-client/client/request.js";

function understood(
  service: ServiceType,
  status: number,
  body: unknown,
  contentType = "application/json",
  headers: RawReply["headers"] = {},
  secrets: readonly SecretValue[] = [],
) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const asked = { service, place: { target: "cloud", origin: "http://x" }, words: "DELETE networks/1", secrets };
  try {
    return parseCloudReply({ status, body: text, headers: { "content-type": contentType, ...headers } }, asked);
  } catch (error) {
    return error as OpenstackError;
  }
}

const neutron = (type: string, message = "m") => ({ NeutronError: { type, message, detail: "" } });
const PAGE = "<html><head><title>404 Not Found</title></head></html>";

describe("a refusal", () => {
  it.each([
    ["network", 400, neutron("InvalidInput"), "invalid", "InvalidInput"],
    ["network", 401, { error: { code: 401, title: "Unauthorized", message: "m" } }, "unauthorized", "Unauthorized"],
    ["network", 403, neutron("PolicyNotAuthorized"), "forbidden", "PolicyNotAuthorized"],
    ["network", 404, neutron("NetworkNotFound"), "not-found", "NetworkNotFound"],
    ["network", 409, neutron("NetworkInUse"), "in-use", "NetworkInUse"],
    ["network", 409, neutron("RouterInterfaceInUseByFloatingIP"), "in-use", "RouterInterfaceInUseByFloatingIP"],
    ["network", 409, neutron("IpAddressAlreadyAllocated"), "conflict", "IpAddressAlreadyAllocated"],
    ["network", 409, neutron("MacAddressInUse"), "conflict", "MacAddressInUse"],
    ["network", 409, neutron("OverQuota"), "quota", "OverQuota"],
    ["network", 412, neutron("RevisionNumberConstraintFailed"), "changed", "RevisionNumberConstraintFailed"],
    ["network", 500, neutron("HTTPInternalServerError"), "failed", "HTTPInternalServerError"],
    ["compute", 400, { badRequest: { code: 400, message: "m" } }, "invalid", "badRequest"],
    ["compute", 403, { forbidden: { code: 403, message: "Quota exceeded for cores" } }, "quota", "forbidden"],
    ["compute", 403, { forbidden: { code: 403, message: "m" } }, "forbidden", "forbidden"],
    ["compute", 404, { itemNotFound: { code: 404, message: "m" } }, "not-found", "itemNotFound"],
    ["compute", 406, { computeFault: { code: 406, message: "m" } }, "not-offered", "computeFault"],
    ["compute", 409, { conflictingRequest: { code: 409, message: "m" } }, "conflict", "conflictingRequest"],
    ["compute", 413, { overLimit: { code: 413, message: "Quota exceeded" } }, "quota", "overLimit"],
    ["compute", 429, { overLimit: { code: 429, message: "m" } }, "rate-limited", "overLimit"],
    ["identity", 404, { error: { code: 404, title: "Not Found", message: "m" } }, "not-found", "Not Found"],
    ["identity", 503, { errors: [{ title: "Down", detail: "m" }] }, "unavailable", "Down"],
  ] as const)("of %s with %i %j is %s", (service, status, body, refusal, type) => {
    const error = understood(service, status, body) as OpenstackError;
    expect(error).toBeInstanceOf(OpenstackError);
    expect(error).toMatchObject({ service, status, refusal, type, code: REFUSALS[refusal].code });
    expect(error.words).not.toBe("");
  });

  it.each([
    ["image", 401, "401 Unauthorized\n\nThis server could not verify that you are authorized", "unauthorized"],
    ["image", 404, "404 Not Found\n\nNo image found with ID nope", "not-found"],
    ["compute", 502, PAGE, "unavailable"],
    ["network", 503, "", "unavailable"],
  ] as const)("of %s with %i may be plain text, a page or nothing", (service, status, body, refusal) => {
    expect(understood(service, status, body, "text/plain")).toMatchObject({ refusal, type: undefined });
  });

  it.each([
    [404, PAGE, "text/html"],
    [404, "404 Not Found\n\nThe resource could not be found.", "text/plain"],
    [412, PAGE, "text/html"],
    [302, "", "text/html"],
    [418, "{}", "application/json"],
  ])("with %i that is not the service's own says nothing about the object", (status, body, type) => {
    const error = understood("network", status, body, type);
    expect(error).toMatchObject({ code: "unexpected-http-status" });
    expect(error).not.toBeInstanceOf(OpenstackError);
  });

  it("in the form of the services' web framework is understood like plain text", () => {
    const body = { message: "No image found with ID nope<br /><br />\n\n\n", code: "404 Not Found", title: "Not Found" };
    expect(understood("image", 404, body)).toMatchObject({ refusal: "not-found", type: undefined, words: "No image found with ID nope" });
    expect(understood("compute", 404, body)).toMatchObject({ code: "unexpected-http-status" });
  });

  it("with 413 and a delay means too many requests", () => {
    expect(understood("compute", 413, { overLimit: { message: "m" } }, undefined, { "retry-after": "5" })).toMatchObject({
      refusal: "rate-limited",
    });
    expect(understood("compute", 413, "", undefined)).toMatchObject({ refusal: "too-large" });
  });

  it("contains at most one line of the service's text", () => {
    const error = understood("network", 400, neutron("X", `a\n  b${"c".repeat(5000)}`)) as OpenstackError;
    expect(error.words.startsWith("a bccc")).toBe(true);
    expect(error.words.length).toBe(1001);
  });

  it("contains no part of a secret, also if the line is cut within it or blanks are removed", () => {
    const secret = new SecretValue(`key ${"k".repeat(40)}\n  end`, "«key»");
    const message = `${"x".repeat(990)}${secret.reveal()} ${secret.reveal()}`;
    const error = understood("network", 400, neutron("X", message), undefined, {}, [secret]) as OpenstackError;
    expect(error.message).not.toContain("kk");
    expect(error.words).toBe(`${"x".repeat(990)}«key» «key…`.slice(0, 1000).concat("…"));
  });
});

describe("a reply", () => {
  it("may be empty, or null, after a write", () => {
    expect(understood("network", 204, "")).toMatchObject({ status: 204, body: {} });
    expect(understood("network", 201, "null")).toMatchObject({ status: 201, body: {} });
    expect(understood("compute", 202, "", "text/html")).toMatchObject({ status: 202, body: {} });
  });

  it("keeps integers exact, and the id of its request", () => {
    const reply = understood("network", 200, '{"n": 9007199254740993}', undefined, { "x-openstack-request-id": "req-1" });
    expect(reply).toMatchObject({ body: { n: 9007199254740993n }, requestId: "req-1" });
  });

  it.each([
    ["cut short", '{"networks": [{"id": "1"}', "application/json", "reply-not-json"],
    ["no object", "[1]", "application/json", "reply-not-json"],
    ["a page", PAGE, "text/html; charset=utf-8", "reply-html"],
    ["a page that says it is JSON", PAGE, "application/json", "reply-html"],
  ])("that is %s is an error", (_, body, type, code) => {
    expect(understood("network", 200, body, type)).toMatchObject({ code, where: { target: "cloud" } });
  });
});
