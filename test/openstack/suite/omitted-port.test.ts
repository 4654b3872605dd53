import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { onEachCloud } from "../harness/clouds.js";
import { portsOfServer } from "../harness/look.js";
import { CONFIGURATION, document, Repository } from "../harness/repository.js";

/** Starts a proxy of the network service whose list of ports omits one. Returns its address, and the methods of all writes. */
async function startProxy(origin: string, omitted: () => string) {
  const writes: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method = "GET", url = "/" } = incoming;
    if (method !== "GET") writes.push(`${method} ${url}`);
    const headers = { ...incoming.headers, host: new URL(origin).host, "accept-encoding": "identity" };
    const answer = async (reply: IncomingMessage) => {
      const text = Buffer.concat(await reply.toArray()).toString();
      const { "content-length": _, "transfer-encoding": __, ...kept } = reply.headers;
      outgoing.writeHead(reply.statusCode ?? 502, kept);
      outgoing.end(method === "GET" && /^\/v2\.0\/ports(\?|$)/.test(url) ? withoutPort(text, omitted()) : text);
    };
    const forwarded = request(`${origin}${url}`, { method, headers }, (reply) => void answer(reply).catch(() => outgoing.destroy()));
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, writes };
}

function withoutPort(text: string, id: string): string {
  const page = JSON.parse(text);
  return JSON.stringify({ ...page, ports: page.ports?.filter((port: { id: string }) => port.id !== id) });
}

const CONFIG = `networks: { web: { subnets: { web-a: { cidr: 192.0.2.0/24 } } } }
servers: { own: { image: cirros, flavor: m1.tiny, networks: [{ network: web }] } }`;

onEachCloud("a list of ports that omits a server's own port", (open) => {
  it("causes no second interface", async () => {
    const rig = await open();
    let hidden = "";
    const proxy = await startProxy(await rig.user.endpoint("network"), () => hidden);
    const target = `mode: enforce, endpoints: { network: "${proxy.address}" }`;
    const repository = Repository.create(rig, {
      "plumbline.yaml": CONFIGURATION.replace("mode: enforce", target),
      "cloud/main.yaml": document(CONFIG),
    });
    const made = await repository.plumbline("reconcile");
    expect(made, made.err + made.out).toMatchObject({ code: 0 });
    const before = await portsOfServer(rig.user, "own");
    expect(before).toHaveLength(1);
    [hidden = ""] = before;
    expect(proxy.writes.length).toBeGreaterThan(0);
    proxy.writes.length = 0;
    for (let run = 0; run < 2; run++) {
      const plan = await repository.plumbline("plan");
      expect(plan, plan.err + plan.out).toMatchObject({ code: 0 });
      const done = await repository.plumbline("reconcile");
      expect(done, done.err + done.out).toMatchObject({ code: 0 });
    }
    expect(proxy.writes).toEqual([]);
    expect(await portsOfServer(rig.user, "own")).toEqual(before);
  });
});
