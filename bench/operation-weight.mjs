/**
 * Measures the overhead of an operation on the wire, in nodes of payload. The planner's weights (`src/plan/cost/operation-weight.ts`) are
 * based on it. A lab firewall gets the same entries in one `set`, in one batch with a `set` per entry, and in one request per entry. A proxy
 * counts the bytes of both directions, including TLS, on an open connection.
 *   npm run build && node bench/operation-weight.mjs
 * Writes `bench/results/operation-weight.md`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { Pool } from "undici";
import { find } from "../dist/core/tree/lookup.js";
import { TreeNode } from "../dist/core/tree/node.js";
import { parseXml } from "../dist/core/tree/xml/parse.js";
import { parsePath } from "../dist/core/tree/xpath/xpath.js";
import { startLab } from "../dist/lab/lab.js";
import { batchRequest, singleRequest, wireOperation } from "../dist/targets/panos/client/encode-operation.js";
import { generateXml } from "./generate.mjs";

const SCOPE = "/config/devices/entry[@name='localhost.localdomain']/vsys/entry[@name='vsys1']";
const LISTS = [
  ["", "address"],
  ["", "address-group"],
  ["", "service"],
  ["/rulebase/security", "rules"],
];
/** API keys of devices are longer than those of the lab. */
const KEY_BYTES = 120;

const sources = {
  "the example": readFileSync(new URL("../desired-state/lab/edge.xml", import.meta.url), "utf8"),
  "a generated firewall": generateXml({ addresses: 300, rules: 60, services: 60, groups: 30 }),
};

function nodesOf(node) {
  return 1 + node.children.reduce((sum, child) => sum + nodesOf(child), 0);
}

/** Starts a TCP proxy that counts bytes. */
async function countingProxy(port) {
  const counter = { bytes: 0 };
  const server = createServer((socket) => {
    const other = connect(port, "127.0.0.1");
    for (const [from, to] of [
      [socket, other],
      [other, socket],
    ]) {
      from.on("data", (chunk) => {
        counter.bytes += chunk.length;
        to.write(chunk);
      });
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { counter, port: server.address().port, close: () => server.close() };
}

/** Starts a lab firewall that already has the entries, so that references resolve. A `set` of an existing entry takes as many bytes. */
async function withFirewall(config, work) {
  const lab = await startLab({
    devices: [{ name: "fw", config, administrators: [{ name: "admin", password: "admin", role: { kind: "superuser" } }] }],
  });
  const url = new URL(lab.devices[0].url);
  const proxy = await countingProxy(Number(url.port));
  const pool = new Pool(`https://127.0.0.1:${proxy.port}`, { connections: 1, connect: { ca: lab.caPem } });
  const send = async (request, key) => {
    const body = new URLSearchParams([...request.parameters, ...(key === undefined ? [] : [["key", key]])]).toString();
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const reply = await pool.request({ method: "POST", path: "/api/", headers, body });
    const text = await reply.body.text();
    if (!/status ?= ?["']success["']/.test(text)) throw new Error(text);
    return text;
  };
  try {
    const login = await send({
      parameters: [
        ["type", "keygen"],
        ["user", "admin"],
        ["password", "admin"],
      ],
    });
    const key = /<key>([^<]+)</.exec(login)[1];
    const padding = Math.max(0, KEY_BYTES - key.length);
    const bytesOf = async (requests) => {
      const before = proxy.counter.bytes;
      for (const request of requests) await send(request, key);
      return proxy.counter.bytes - before + requests.length * padding;
    };
    return await work(bytesOf);
  } finally {
    await pool.close();
    proxy.close();
    await lab.close();
  }
}

/** Sends the entries of one list in the three forms and returns their sizes. */
async function measure(config, at, list) {
  const set = (entries) => wireOperation({ action: "set", at, element: new TreeNode(list.tag, undefined, "", entries) });
  const together = batchRequest([set(list.children)], false);
  const each = list.children.map((entry) => set([entry]));
  return await withFirewall(config, async (bytesOf) => {
    const one = await bytesOf([together]);
    const batch = await bytesOf([batchRequest(each, false)]);
    const single = await bytesOf(each.map(singleRequest));
    return { entries: each.length, nodes: nodesOf(list), one, batch, single };
  });
}

const rows = [];
for (const [source, config] of Object.entries(sources)) {
  const root = parseXml(config);
  for (const [below, tag] of LISTS) {
    const at = parsePath(SCOPE + below);
    const list = find(root, at)?.children.find((child) => child.tag === tag);
    if (list === undefined || list.children.length < 2) continue;
    rows.push({ source, tag, ...(await measure(config, at, list)) });
  }
}
const lines = [
  "| configuration | list | entries | nodes | bytes a node | an operation of a batch, bytes | in nodes | a request, bytes | in nodes |",
  "|---|---|---|---|---|---|---|---|---|",
];
for (const { source, tag, entries, nodes, one, batch, single } of rows) {
  // Each `set` repeats the frame of its list, which the planner counts as payload.
  const frame = new URLSearchParams([["", `<${tag}></${tag}>`]]).toString().length - 1;
  const [operation, request] = [batch, single].map((bytes) => (bytes - one) / (entries - 1) - frame);
  const node = (one - request) / nodes;
  const cells = [source, tag, entries, nodes, node.toFixed(0), operation.toFixed(0), (operation / node).toFixed(1)];
  lines.push(`| ${[...cells, request.toFixed(0), (request / node).toFixed(1)].join(" | ")} |`);
}
const text = `# Overhead of an operation on the wire

\`node bench/operation-weight.mjs\`: bytes of both directions, including TLS, on an open connection to a lab firewall.
[docs/contributing/plan.md](../../docs/contributing/plan.md#cost) describes how the planner uses these values.

${lines.join("\n")}
`;
writeFileSync(new URL("./results/operation-weight.md", import.meta.url), text);
console.log(text);
