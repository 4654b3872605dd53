import type { RecordedExchange } from "./recording.js";
import { reasonFor } from "./sessions.js";

/** The result of one recorded exchange. */
export interface Outcome {
  readonly exchange: RecordedExchange;
  /** Undefined if the replies are equal, or if the recording ends inside the reply. */
  readonly difference: string | undefined;
}

/** The page `docs/contributing/contrail-replay.md`. */
export function replayReport(outcomes: readonly Outcome[]): string {
  const files = [...new Set(outcomes.map(({ exchange }) => exchange.file))];
  const rows = files.map((file) => {
    const those = outcomes.filter(({ exchange }) => exchange.file === file);
    const cut = those.filter(({ exchange }) => exchange.cutOff).length;
    const different = those.filter(({ difference }) => difference !== undefined).length;
    return `| ${file} | ${those.length} | ${those.length - cut - different} | ${different} | ${cut} |`;
  });
  return `${[...INTRODUCTION, ...rows, "", ...differences(outcomes), ...SCOPE].join("\n")}\n`;
}

function differences(outcomes: readonly Outcome[]): string[] {
  const unlike = outcomes.filter(({ difference }) => difference !== undefined);
  if (unlike.length === 0) return ["All exchanges have equal replies.", ""];
  const rows = unlike.map(
    ({ exchange }) => `| ${exchange.file}:${exchange.line} | ${exchange.method} ${exchange.path} | ${reasonFor(exchange) ?? "?"} |`,
  );
  return ["Differences with reasons:", "", "| place | request | reason |", "|---|---|---|", ...rows, ""];
}

const INTRODUCTION = [
  "# The lab controller compared with recordings of the real one",
  "",
  "`test/lab/contrail/replay.test.ts` sends every recorded request to the lab controller and compares status, content type, `Allow` and body",
  "with the reply of the real server. The test also generates this page, and fails if it is outdated. The recordings are not part of",
  "the repository. Without them next to the checkout the test is skipped.",
  "",
  "Before the comparison, times and the server's address are replaced by fixed names and keys are sorted. Each uuid that a server created",
  "is mapped to its counterpart, in both directions, so a subnet that keeps its id instead of getting a new one is a difference. The 64-bit",
  "halves of a uuid are joined, so every digit counts. The links of `GET /` are sorted, and no other list is.",
  "",
  "| recording | requests | equal | different | truncated in the recording |",
  "|---|---|---|---|---|",
];

const SCOPE = [
  "`00-go-client-raw.txt` and `00-python-client-raw.txt` contain only requests. `test/lab/contrail/clients.test.ts` sends them.",
  "",
  "The Python client (`vnc_api` of tf-api-client, February 2024, generated from its schema) was run manually on 2026-11-21. It connects,",
  "reads projects, lists with and without detail and by filter, creates an IPAM, a policy and a network with both, changes it, removes the",
  "policy, reports both kinds of 409 and an unknown id as its own errors, and deletes everything.",
  "",
  "## On the real server",
  "",
  "On 2026-11-25 the built command was run manually against the unmodified API server: tf-controller 6a67439 (26 March 2024), with",
  "tf-api-client c0011de and tf-common f5166b1. Its own generator (Python 2.7.18) created the resource classes, and its own compiler the",
  "Sandesh classes. The server ran on Python 3.6.15 (gevent 1.4.0, greenlet 0.4.17, bottle 0.12.25, kazoo 2.7.0, kombu 4.0.2, lxml 4.5.0,",
  "keystonemiddleware 6.1.0) with the replacements of its unit tests for Cassandra, ZooKeeper and RabbitMQ, without authentication, on the",
  "loopback address. It does not load with a newer bottle.",
  "",
  "92 commands (1,719 requests) ended with the expected exit codes. They cover networks, subnets of both families, IPAMs, policies, security",
  "groups, route tables, logical routers (SNAT and VXLAN), floating IP pools and addresses: created, changed field by field and reference by",
  "reference, in sync after each change, changed manually and healed, adopted with `$adopt` and `adopt`, replaced, refused and pruned. The lab",
  "gives the same replies except for: defaults that the server writes into the internal network of a VXLAN router, reused network numbers,",
  "the order of two referrers in one refusal, `marker` in the list of an unknown parent, and the group `default-security-group`, which the",
  "server does not have. `test/lab/contrail/rules/neighbours.test.ts` contains the findings.",
  "",
  "Not run: roles and tokens, `GET /watch`, several servers in parallel, a real database, and changes by other processes.",
  "",
  "## Limits of the lab",
  "",
  "- The administrators' port (8095, HTTP Basic) is missing.",
  "- `GET /` links these like the real server, but they answer 404: `chown`, `set-tag`, `ref-relax-for-delete`, `ip-alloc`, `ip-free`,",
  "  `subnet-ip-count`, `obj-cache`, `execute-job`, `abort-job`, `security-policy-draft`, `fetch-records`, profiles, `amqp-*`, `hbs-get`.",
  "- Types without a schema in `src/lab/contrail/schema/resource-schema.ts` accept any property unchecked.",
  "- `/neutron/` supports networks, subnets and ports, and the `default` security group of a first port.",
  "- Texts of refusals without a recording (a second use of an address, an exhausted subnet, an unknown reference in an update) follow the",
  "  documented facts, or are the lab's own.",
];
