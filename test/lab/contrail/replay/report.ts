import type { RecordedExchange } from "./recording.js";
import { reasonFor } from "./sessions.js";

/** What became of one recorded exchange. */
export interface Outcome {
  readonly exchange: RecordedExchange;
  /** Undefined where the lab answered alike, or where the recording ends inside the reply. */
  readonly difference: string | undefined;
}

/** The page `docs/contrail-replay.md`. */
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
  if (unlike.length === 0) return ["No exchange is answered differently.", ""];
  const rows = unlike.map(
    ({ exchange }) => `| ${exchange.file}:${exchange.line} | ${exchange.method} ${exchange.path} | ${reasonFor(exchange) ?? "?"} |`,
  );
  return ["Answered differently, with the reason:", "", "| Where | Request | Reason |", "|---|---|---|", ...rows, ""];
}

const INTRODUCTION = [
  "# The lab controller against recordings of the real one",
  "",
  "`test/lab/contrail/replay.test.ts` sends every request of the recordings that lie beside the checkout to the lab controller and",
  "holds status, content type, `Allow` and body against what the real server answered. The same test writes this page and",
  "fails when it no longer holds. The recordings are not part of the repository: where they do not lie beside the checkout,",
  "the test says so and is skipped.",
  "",
  "Before two replies are compared, times and the server's own address get one name each, keys are sorted, and each uuid that",
  "a server made is taken for the one that stands in its place in the other reply, from then on and in both directions: a",
  "subnet that should have got a new id and kept its old one is a difference. The 64-bit halves of a uuid are put together",
  "again, so that every digit counts. The links of `GET /` are sorted; no other list is.",
  "",
  "| Recording | Requests | Alike | Different | Cut off in the recording |",
  "|---|---|---|---|---|",
];

const SCOPE = [
  "`00-go-client-raw.txt` and `00-python-client-raw.txt` hold requests only; `test/lab/contrail/clients.test.ts` sends them.",
  "",
  "The Python client itself (`vnc_api` of tf-api-client, February 2024, generated from its schema) was run by hand on 2026-11-21: it",
  "connects, reads projects, lists with and without detail and by filter, makes an IPAM, a policy and a network with both, changes",
  "it, takes the policy off, meets both kinds of 409 and an unknown id as its own errors, and deletes all of it.",
  "",
  "## What the lab does not do",
  "",
  "- The administrators' port (8095, HTTP Basic) is not served.",
  "- Linked from `GET /` as on the real server, but answered with 404: `chown`, `set-tag`, `ref-relax-for-delete`, `ip-alloc`,",
  "  `ip-free`, `subnet-ip-count`, `obj-cache`, `execute-job`, `abort-job`, `security-policy-draft`, `fetch-records`, profiles,",
  "  `amqp-*`, `hbs-get`.",
  "- Types without a schema in `src/lab/contrail/schema/resource-schema.ts` take any property unchecked.",
  "- `/neutron/` knows networks, subnets and ports (and the `default` security group that a first port brings).",
  "- Texts of refusals that no recording shows (a second use of an address, an exhausted subnet, an update that names an",
  "  unknown reference) follow the facts where those say something, and are the lab's own otherwise.",
];
