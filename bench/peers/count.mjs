/** Proxy on the loopback address that counts requests and connections and forwards all bytes unchanged. */
import http from "node:http";
import https from "node:https";

/**
 * `rewritten` replaces addresses in replies, because a service catalog names them and clients must use the proxies instead.
 * @returns
 * {Promise<{port: number, taken: () => {requests: number, connections: number}, close: () => Promise<void>}>}
 */
export async function countingProxy(target, { certificate, rewritten = new Map() } = {}) {
  const upstream = new URL(target);
  const client = upstream.protocol === "https:" ? https : http;
  const agent = new client.Agent({ keepAlive: true, maxSockets: 64 });
  let [requests, connections] = [0, 0];
  const handOn = async (reply, response) => {
    const chunks = [];
    for await (const chunk of reply) chunks.push(chunk);
    let body = Buffer.concat(chunks);
    for (const [from, to] of rewritten) if (body.includes(from)) body = Buffer.from(body.toString().replaceAll(from, to));
    const { "transfer-encoding": _, ...kept } = reply.headers;
    response.writeHead(reply.statusCode, { ...kept, "content-length": body.length });
    response.end(body);
  };
  const answer = (incoming, response) => {
    requests += 1;
    const { method, url: path, headers } = incoming;
    const options = { agent, method, path, headers, host: upstream.hostname, port: upstream.port, rejectUnauthorized: false };
    const asked = client.request(options, (reply) => void handOn(reply, response));
    asked.on("error", () => response.destroy());
    incoming.pipe(asked);
  };
  const server = certificate === undefined ? http.createServer(answer) : https.createServer(certificate, answer);
  server.keepAliveTimeout = 60_000;
  server.on(certificate === undefined ? "connection" : "secureConnection", () => (connections += 1));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: server.address().port,
    taken() {
      const counted = { requests, connections };
      [requests, connections] = [0, 0];
      return counted;
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
