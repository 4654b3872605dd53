import { createHash } from "node:crypto";
import type { AccessQuestion } from "../../../src/agent/access-process.js";
import type { AccessView } from "../../../src/agent/page/view.js";
import { COMMIT } from "./sample.js";

type Asked = Pick<AccessQuestion, "target" | "request" | "reason"> & Partial<AccessQuestion>;

/** Answer to a request that a new rule allows. The service tcp/5432 is allowed, and tcp/1 is refused. Without a target: along the path. */
export function answered(asked: Asked): AccessView {
  const { target } = asked;
  if (target !== undefined) return answeredBy({ ...asked, target });
  const last = answeredBy({ ...asked, target: "fra-edge-b" });
  const { hops: _, faults: _1, ...hop } = last;
  const cloud = {
    ...hop,
    target: "cloud-west",
    request: { ...hop.request, fromZone: "server web-01", toZone: "router r1" },
    scope: "project",
    state: "allowed" as const,
    now: ["  allow  web: any to 0.0.0.0/0  cloud/servers.yaml:8"],
    designs: [],
    reasons: [],
  };
  return {
    ...last,
    target: "",
    request: { ...last.request, fromZone: "", toZone: "" },
    scope: "",
    now: [],
    designs: [],
    hops: [cloud, hop],
    reasons: [],
  };
}

function answeredBy({
  target,
  request,
  reason,
  requester = "ann",
  choose = 1,
  acceptExcess = false,
  propose,
}: Asked & { readonly target: string }): AccessView {
  const { from, to, service, application } = request;
  const digest = createHash("sha256")
    .update(JSON.stringify([target, request, reason, choose]))
    .digest("hex");
  const common = {
    target,
    commit: COMMIT,
    request: { from, fromZone: "web", to, toZone: "db", service, application },
    scope: "vsys1",
    now: ["  allow  web-to-db  edge/rules/security.yaml:36", `      web > db  ${from} > ${to}  ${service} · ${application}`],
    designs: [],
    hops: [],
    chosen: 0,
    files: [],
    reasons: [],
    faults: [],
    notes: [],
    warnings: [],
    digest: "",
    canPropose: true,
  } satisfies Partial<AccessView>;
  if (service === "tcp/5432") return { ...common, state: "allowed" };
  if (service === "tcp/1") return { ...common, state: "refused", now: [], reasons: ["It contradicts assertion no-access: <b>nobody</b>"] };
  const isWide = choose === 2;
  return {
    ...common,
    state: "designed",
    now: ["  deny   deny-all  edge/rules/security.yaml:72", `      web > db  ${from} > ${to}  ${service} · ${application}`],
    designs: [
      {
        summary: `add rule ${from}-to-${to}-${application} above rule deny-all (service application-default)`,
        isPartial: false,
        excess: [],
        notes: [],
      },
      {
        summary: `add ${application} to application of rule web-to-db`,
        isPartial: false,
        excess: ["web > db  web-servers (10.110.0.11-10.110.0.12) > srv-db-1 (10.120.0.2)  tcp/5432 · ssh"],
        notes: ["Some flows of the request that were allowed before get other logs or profiles."],
      },
    ],
    chosen: choose,
    files:
      isWide && !acceptExcess
        ? []
        : isWide
          ? [
              {
                file: "edge/rules/security.yaml",
                lines: ["@@ -40,1 +40,1 @@", "-          application: [postgres]", "+          application: [postgres, ssh]"],
              },
            ]
          : [
              {
                file: "edge/rules/security.yaml",
                lines: [
                  "@@ -71,0 +72,12 @@",
                  ...[
                    `- name: ${from}-to-${to}-${application}`,
                    `  description: ${reason}, requested by ${requester}`,
                    "  from: [web]",
                    "  to: [db]",
                    `  source: [${from}]`,
                    `  destination: [${to}]`,
                    `  application: [${application}]`,
                    "  service: [application-default]",
                    "  action: allow",
                    "  log-setting: to-siem",
                  ].map((line) => `+        ${line}`),
                ],
              },
            ],
    digest: isWide && !acceptExcess ? "" : digest,
    ...(propose === digest ? { proposed: { branch: "plumbline/allow-1", url: "https://git.example.com/net/pulls/12", isNew: true } } : {}),
  };
}
