import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Probe } from "../../../src/desired/checks.js";
import { runProbe } from "../../../src/engine/watch/probe.js";
import { type ProbeNetwork, thisNetwork } from "../../../src/engine/watch/probe-network.js";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});
const port = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
const noWait = async () => undefined;
const once = { timeout: 2, attempts: 1 };

describe("probes over the network of this machine", () => {
  it("connect", async () => {
    const server = createTcpServer().listen(0, "127.0.0.1");
    await new Promise((ready) => server.once("listening", ready));
    const probe: Probe = { kind: "tcp", host: "127.0.0.1", port: port(server), ...once };
    expect(await runProbe(probe, thisNetwork, noWait)).toBeUndefined();
    await new Promise((closed) => server.close(closed));
    expect(await runProbe(probe, thisNetwork, noWait)).toContain("ECONNREFUSED");
  });

  it("check the status, and treat a redirection as an answer", async () => {
    const server = createServer((request, response) => response.writeHead(request.url === "/old" ? 301 : 204).end()).listen(0, "127.0.0.1");
    closers.push(() => server.close());
    await new Promise((ready) => server.once("listening", ready));
    const url = `http://127.0.0.1:${port(server)}`;
    expect(await runProbe({ kind: "http", url: `${url}/`, status: 204, ...once }, thisNetwork, noWait)).toBeUndefined();
    expect(await runProbe({ kind: "http", url: `${url}/old`, status: 204, ...once }, thisNetwork, noWait)).toBe(
      `the probe of ${url}/old failed (status 301, not 204)`,
    );
  });

  it("check only the status, each time over a new connection", async () => {
    const sockets = new Set<unknown>();
    const server = createServer((request, response) => {
      sockets.add(request.socket);
      response.writeHead(200).write("a body that never ends");
    }).listen(0, "127.0.0.1");
    closers.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    await new Promise((ready) => server.once("listening", ready));
    const probe: Probe = { kind: "http", url: `http://127.0.0.1:${port(server)}/`, status: 200, ...once };
    expect(await runProbe(probe, thisNetwork, noWait)).toBeUndefined();
    expect(await runProbe(probe, thisNetwork, noWait)).toBeUndefined();
    expect(sockets.size).toBe(2);
  });

  it("stop waiting for silent hosts once the run is stopped, so that the process can end", async () => {
    const [silent, mute] = [createTcpServer(() => undefined).listen(0, "127.0.0.1"), createSocket("udp4")];
    await Promise.all([
      new Promise((ready) => silent.once("listening", ready)),
      new Promise<void>((ready) => mute.bind(0, "127.0.0.1", ready)),
    ]);
    closers.push(() => mute.close());
    const stop = new AbortController();
    const asked = Promise.allSettled([
      thisNetwork.http(`http://127.0.0.1:${port(silent)}/`, 60_000, stop.signal),
      thisNetwork.dns("www.example.com", `127.0.0.1:${mute.address().port}`, 60_000, stop.signal),
      thisNetwork.tcp("192.0.2.1", 9, 60_000, stop.signal),
    ]);
    await Promise.all([new Promise((come) => silent.once("connection", come)), new Promise((come) => mute.once("message", come))]);
    stop.abort();
    expect((await asked).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    await new Promise((closed) => silent.close(closed));
  });

  it("have a timeout", async () => {
    const server = createServer(() => undefined).listen(0, "127.0.0.1");
    closers.push(
      () => server.closeAllConnections(),
      () => server.close(),
    );
    await new Promise((ready) => server.once("listening", ready));
    const probe: Probe = { kind: "http", url: `http://127.0.0.1:${port(server)}/`, status: 200, timeout: 0.05, attempts: 1 };
    expect(await runProbe(probe, thisNetwork, noWait)).toMatch(/failed \(.*(timeout|aborted)/i);
  });

  it("query a name server that does not answer, and report it", async () => {
    const socket = createSocket("udp4");
    await new Promise<void>((ready) => socket.bind(0, "127.0.0.1", ready));
    closers.push(() => socket.close());
    await expect(thisNetwork.dns("www.example.com", `127.0.0.1:${socket.address().port}`, 50)).rejects.toThrow(
      /ETIMEOUT|EREFUSED|ECONNREFUSED/,
    );
  });
});

describe("attempts", () => {
  const answering = (answers: (readonly string[] | Error)[]): ProbeNetwork => ({
    tcp: noWait,
    http: async () => 200,
    dns: async () => {
      const answer = answers.shift() ?? [];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const probe: Probe = { kind: "dns", name: "www.example.com", server: undefined, expect: "192.0.2.10", timeout: 1, attempts: 3 };

  it("continue until one succeeds, with a pause between them", async () => {
    let paused = 0;
    const network = answering([new Error("no such name"), ["192.0.2.9"], ["192.0.2.9", "192.0.2.10"]]);
    const result = await runProbe(probe, network, async () => void paused++);
    expect([result, paused]).toEqual([undefined, 2]);
  });

  it("compare addresses by meaning, not by spelling", async () => {
    const six: Probe = { ...probe, expect: "2001:DB8:0::10" };
    expect(await runProbe(six, answering([["2001:db8::10"]]), noWait)).toBeUndefined();
  });

  it("end with the last reason", async () => {
    expect(await runProbe(probe, answering([[], [], ["192.0.2.9"]]), noWait)).toBe(
      "the probe of the name www.example.com failed 3 times (192.0.2.9, not 192.0.2.10)",
    );
    expect(await runProbe({ ...probe, expect: undefined, attempts: 1 }, answering([[]]), noWait)).toContain("no address");
  });
});
