import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../../src/core/json/parse.js";
import { isObject, type JsonObject } from "../../../src/core/json/value.js";
import { leaveOut } from "../../left-out.js";
import { call, startLab } from "./support.js";

const FOLDER = resolve(import.meta.dirname, "../../../../shared/facts/contrail-wire");
const present = existsSync(FOLDER);
if (!present) leaveOut(`requests of real clients: no recordings in ${FOLDER}`);

interface ClientRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Headers that belong to the connection, which the sending of this test sets itself. */
const OF_THE_CONNECTION = new Set(["host", "connection", "content-length", "accept-encoding"]);

function readRequests(file: string): ClientRequest[] {
  const text = readFileSync(`${FOLDER}/${file}`, "utf8");
  return text.split(/^(?=(?:GET|POST|PUT|DELETE) \/)/m).map((part) => {
    const [first = "", ...rest] = part.split("\n");
    const [method = "", path = ""] = first.split(" ");
    const lines = rest.filter((line) => line !== "");
    const headers = lines.filter((line) => !line.startsWith("{")).map((line) => line.split(": ", 2) as [string, string]);
    return {
      method,
      path,
      headers: Object.fromEntries(headers.filter(([name]) => !OF_THE_CONNECTION.has(name.toLowerCase()))),
      body: lines.find((line) => line.startsWith("{")),
    };
  });
}

/** Sends the requests one after the other with the uuid of the network that the first POST makes; answers the statuses. */
async function send(requests: readonly ClientRequest[]): Promise<string[]> {
  const lab = await startLab();
  lab.world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
  lab.world.create("network-policy", { fq_name: ["default-domain", "demo", "pol"], parent_type: "project" });
  const theirs = /\/virtual-network\/([0-9a-f-]{36})/.exec(requests.map(({ path }) => path).join("\n"))?.[1] ?? "";
  let ours = "";
  const answers: string[] = [];
  for (const { method, path, headers, body } of requests) {
    const document = body === undefined ? undefined : parseJson(body.replaceAll(theirs, ours));
    const { status, json } = await call(lab, method, path.replaceAll(theirs, ours), document, headers);
    answers.push(`${method} ${path.split("?")[0]?.replaceAll(theirs, "<uuid>")} ${status}`);
    if (path === "/virtual-networks" && isObject(json["virtual-network"])) ours = String((json["virtual-network"] as JsonObject).uuid);
  }
  return answers;
}

const NETWORK = "/virtual-network/<uuid>";

describe.skipIf(!present)("requests of real clients", () => {
  it("of the Python client are all understood: nulls, discovery, references by name", async () => {
    expect(await send(readRequests("00-python-client-raw.txt"))).toEqual([
      "GET / 200",
      "GET /virtual-networks 200",
      "POST /virtual-networks 200",
      `GET ${NETWORK} 200`,
      "POST /fqname-to-id 200",
      `GET ${NETWORK} 200`,
      `PUT ${NETWORK} 200`,
      "GET /virtual-networks 200",
      "POST /ref-update 200",
      `DELETE ${NETWORK} 200`,
      `GET ${NETWORK} 404`,
    ]);
  });

  it("of the Go client are all understood: no discovery, PUT to the address of the object", async () => {
    expect(await send(readRequests("00-go-client-raw.txt"))).toEqual([
      "GET /virtual-networks 200",
      "POST /virtual-networks 200",
      `GET ${NETWORK} 200`,
      `PUT ${NETWORK} 200`,
      `PUT ${NETWORK} 200`,
      "POST /fqname-to-id 200",
      `GET ${NETWORK} 200`,
      "GET /virtual-networks 200",
    ]);
  });
});

describe("a policy of the Python client of 2024", () => {
  it("is accepted with every field of its rules, including nulls", async () => {
    const lab = await startLab();
    lab.world.create("project", { fq_name: ["default-domain", "demo"], parent_type: "domain" });
    const address = { security_group: null, subnet: null, virtual_network: "any", subnet_list: [], network_policy: null };
    const action_list = {
      ...{ service_properties: null, mirror_to: null, gateway_name: null, log: false, alert: false, host_based_service: false },
      ...{ assign_routing_instance: null, qos_action: null, simple_action: "pass", apply_service: [] },
    };
    const rule = {
      ...{ direction: "<>", protocol: "tcp", src_addresses: [address], dst_addresses: [address], action_list, application: [] },
      ...{ src_ports: [{ start_port: -1, end_port: -1 }], dst_ports: [{ start_port: 80, end_port: 80 }], ethertype: null },
      ...{ created: null, last_modified: null, rule_uuid: null, rule_sequence: null, description: null },
    };
    const fq_name = ["default-domain", "demo", "p"];
    const policy = { fq_name, parent_type: "project", network_policy_entries: { policy_rule: [rule] } };
    expect((await call(lab, "POST", "/network-policys", { "network-policy": policy })).status).toBe(200);
  });
});
