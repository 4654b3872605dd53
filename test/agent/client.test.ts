import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { Proxies } from "../../src/agent/client.js";

const clientOf = (trusted: readonly string[], remoteAddress: string, headers: Readonly<Record<string, string>> = {}) =>
  new Proxies(trusted).clientOf({ headers, socket: { remoteAddress } } as unknown as IncomingMessage);
const from = (trusted: readonly string[], peer: string, forwarded: string): string =>
  clientOf(trusted, peer, { "x-forwarded-for": forwarded }).address;

describe("the address of a client", () => {
  it.each([
    ["nobody is trusted", [], "10.0.0.9", "192.0.2.1", "10.0.0.9"],
    ["the peer is no proxy of ours", ["10.0.0.0/8"], "198.51.100.4", "192.0.2.1", "198.51.100.4"],
    ["the peer is a proxy", ["10.0.0.0/8"], "10.0.0.9", "192.0.2.1", "192.0.2.1"],
    ["the client made up more", ["10.0.0.0/8"], "10.0.0.9", "1.1.1.1, 192.0.2.1", "192.0.2.1"],
    ["there are two proxies", ["10.0.0.0/8", "203.0.113.7"], "10.0.0.9", "1.1.1.1, 192.0.2.1, 203.0.113.7", "192.0.2.1"],
    ["the client claims to be a proxy", ["10.0.0.0/8"], "10.0.0.9", "10.0.0.1, 192.0.2.1", "192.0.2.1"],
    ["all are proxies", ["10.0.0.0/8"], "10.0.0.9", "10.0.0.3, 10.0.0.4", "10.0.0.3"],
    ["there is nonsense before the proxy", ["10.0.0.0/8"], "10.0.0.9", "192.0.2.1, unknown", "10.0.0.9"],
    ["the header is empty", ["10.0.0.0/8"], "10.0.0.9", "", "10.0.0.9"],
    ["ports are told", ["10.0.0.0/8"], "10.0.0.9", "192.0.2.1:4711", "192.0.2.1"],
    ["IPv6 with a port is told", ["fd00::/8"], "fd00::9", "[2001:db8::5]:4711", "2001:db8::5"],
    ["IPv4 comes wrapped", ["10.0.0.0/8"], "::ffff:10.0.0.9", "::ffff:192.0.2.1", "192.0.2.1"],
  ] as const)("where %s", (_, trusted, peer, forwarded, client) => {
    expect(from(trusted, peer, forwarded)).toBe(client);
  });

  it("is not taken from Forwarded", () => {
    expect(clientOf(["10.0.0.0/8"], "10.0.0.9", { forwarded: "for=192.0.2.1" }).address).toBe("10.0.0.9");
  });

  it("counts together with the network that one machine can own", () => {
    expect(clientOf([], "192.0.2.1").network).toBe("192.0.2.1");
    expect(clientOf([], "2001:db8:0:1::5").network).toBe(clientOf([], "2001:0db8:0:0001:ffff::1").network);
    expect(clientOf([], "2001:db8:0:2::5").network).not.toBe(clientOf([], "2001:db8:0:1::5").network);
    expect(clientOf([], "::1").network).toBe("0:0:0:0::/64");
  });
});

it("host name and TLS are taken from listed proxies, or from any if none is listed", () => {
  const headers = { host: "10.0.0.9:9464", "x-forwarded-host": "plumbline.example.com", "x-forwarded-proto": "https" };
  const told = { host: "plumbline.example.com", isEncrypted: true };
  expect(clientOf(["10.0.0.0/8"], "10.0.0.9", headers)).toMatchObject(told);
  expect(clientOf([], "192.0.2.1", headers)).toMatchObject(told);
  expect(clientOf(["10.0.0.0/8"], "192.0.2.1", headers)).toMatchObject({ host: "10.0.0.9:9464", isEncrypted: false });
});

it.each(["10.0.0.0/33", "10.0.0/8", "proxy.example.com", "10.0.0.0/8/8", "::/129", "10.0.0.0/", ""])("refuses %j as a network", (text) => {
  expect(() => new Proxies([text])).toThrow(expect.objectContaining({ code: "option-invalid" }));
});
