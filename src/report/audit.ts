import { type Audit, type AuditFinding, findingText } from "../outcome/audit-finding.js";
import { count } from "./format-counts.js";
import type { Paint } from "./style.js";

/** Returns one line with the numbers of compared objects and findings. */
export function auditVerdict(audit: Audit, paint: Paint): string {
  const { findings, networks, subnets, outside } = audit;
  const verdict = findings.length === 0 ? paint("green", "agree") : paint("yellow", count(findings.length, "finding"));
  const others = outside === 0 ? "" : `, ${outside} of other projects not compared`;
  return `${verdict}  ${paint("dim", `${count(networks, "network")} and ${count(subnets, "subnet")} of ${audit.networkService}${others}`)}`;
}

/** Returns the findings, grouped by network. */
export function auditLines(audit: Audit, paint: Paint): string[] {
  return [...byNetwork(audit.findings)].flatMap(([network, findings]) => [
    "",
    `  ${paint("bold", `network ${network}`)}`,
    ...findings.map((finding) => `    ${paint("yellow", finding.kind)} ${auditSentence(finding, audit)} ${paint("dim", finding.id)}`),
  ]);
}

/** Describes one finding in a sentence, without its network. */
export function auditSentence(finding: AuditFinding, audit: Audit): string {
  const subject = finding.subnet === undefined ? "" : `subnet ${finding.subnet} `;
  return `${subject}${findingText(finding, audit)}`;
}

function byNetwork(findings: readonly AuditFinding[]): Map<string, AuditFinding[]> {
  const groups = new Map<string, AuditFinding[]>();
  for (const finding of findings) {
    const group = groups.get(finding.network);
    if (group === undefined) groups.set(finding.network, [finding]);
    else group.push(finding);
  }
  return groups;
}
