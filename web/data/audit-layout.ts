import type { AuditFindingView } from "../../src/agent/page/view.ts";
import { findingText } from "../../src/outcome/audit-finding.ts";

export type Standing = "there" | "absent" | "differs";

export interface AuditRow {
  /** Subnet, or the network if the finding concerns no subnet. */
  readonly label: string;
  readonly left: Standing;
  readonly right: Standing;
  readonly finding: AuditFindingView;
  /** Description of the finding. */
  readonly words: string;
  /** Distance from the top of the picture. */
  readonly y: number;
}

export interface AuditCard {
  readonly network: string;
  readonly y: number;
  readonly height: number;
  readonly rows: readonly AuditRow[];
}

export const HEAD = 30;
export const LINE = 28;
const GAP = 14;
const FOOT = 6;

/** Places networks with findings as pairs of cards, one below the other. Takes linear time. */
export function layOut(
  findings: readonly AuditFindingView[],
  names: { readonly networkService: string; readonly controller: string },
): { readonly cards: readonly AuditCard[]; readonly height: number } {
  const networks = new Map<string, AuditFindingView[]>();
  for (const finding of findings) {
    const group = networks.get(finding.network);
    if (group === undefined) networks.set(finding.network, [finding]);
    else group.push(finding);
  }
  const cards: AuditCard[] = [];
  let y = 0;
  for (const [network, group] of networks) {
    const rows = group.map((finding, i) => rowOf(finding, names, y + HEAD + i * LINE));
    const height = HEAD + rows.length * LINE + FOOT;
    cards.push({ network, y, height, rows });
    y += height + GAP;
  }
  return { cards, height: Math.max(0, y - GAP) };
}

function rowOf(finding: AuditFindingView, names: Parameters<typeof findingText>[1], y: number): AuditRow {
  const { kind, subnet, field } = finding;
  const subject = subnet === undefined ? "network" : subnet;
  const label = field === undefined ? subject : subnet === undefined ? field : `${subnet} ${field}`;
  const words = findingText({ subnet: undefined, field: undefined, networkService: undefined, controller: undefined, ...finding }, names);
  const standing = STANDINGS[kind];
  const right = kind === "lookup-row" && finding.controller === undefined ? "absent" : standing[1];
  return { label, left: standing[0], right, finding, words, y };
}

const STANDINGS: Readonly<Record<AuditFindingView["kind"], readonly [Standing, Standing]>> = {
  "only-in-network-service": ["there", "absent"],
  "only-in-controller": ["absent", "there"],
  differs: ["differs", "differs"],
  "re-keyed": ["differs", "differs"],
  "lookup-row": ["there", "differs"],
};

/** Shortens a text to the width, with an ellipsis. */
export function shorten(text: string, width: number): string {
  const most = Math.max(3, Math.floor(width / 7.4));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
