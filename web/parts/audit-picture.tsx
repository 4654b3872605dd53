import { useMemo, useState } from "preact/hooks";
import type { AuditFindingView } from "../../src/agent/page/view.ts";
import { type AuditCard, type AuditRow, HEAD, LINE, layOut, type Standing, shorten } from "../data/audit-layout.ts";
import { useSize } from "../data/hooks.ts";

interface PictureProps {
  readonly findings: readonly AuditFindingView[];
  readonly networkService: string;
  readonly controller: string;
}

/** Shows the objects of both services and their differences side by side. The list below contains the same information as text. */
export function AuditPicture({ findings, networkService, controller }: PictureProps) {
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const { width } = useSize(box);
  const { cards, height } = useMemo(() => layOut(findings, { networkService, controller }), [findings, networkService, controller]);
  const middle = Math.max(64, Math.min(150, width * 0.16));
  const card = (width - middle) / 2 - 1;
  const right = card + middle;
  return (
    <div ref={setBox} class="picture">
      <div class="picture-heads" aria-hidden="true" style={{ gridTemplateColumns: `${right}px 1fr` }}>
        <span>
          {networkService} <span class="dim">network service</span>
        </span>
        <span>
          {controller} <span class="dim">controller</span>
        </span>
      </div>
      {width > 0 && (
        <svg role="img" aria-label={`Networks of ${networkService} and ${controller} that do not agree`} width={width} height={height + 2}>
          {cards.map((each) => (
            <g key={each.network}>
              <Side x={1} width={card} card={each} side="left" />
              <Side x={right} width={card} card={each} side="right" />
              {each.rows.map((row) => (
                <Join key={`${row.y}`} row={row} from={card + 1} to={right} />
              ))}
            </g>
          ))}
        </svg>
      )}
    </div>
  );
}

interface SideProps {
  readonly x: number;
  readonly width: number;
  readonly card: AuditCard;
  readonly side: "left" | "right";
}

function Side({ x, width, card: { network, y, height, rows }, side }: SideProps) {
  const isAbsent = rows.some((row) => row.finding.what === "network" && row[side] === "absent");
  return (
    <g class={isAbsent ? "card is-absent" : "card"}>
      <rect x={x} y={y + 1} width={width} height={height} rx="8" />
      <text x={x + 12} y={y + HEAD / 2 + 6} class="card-name">
        {shorten(network, width - 20)}
        <title>{network}</title>
      </text>
      {rows.map((row) => (
        <Half key={row.y} x={x} width={width} row={row} standing={row[side]} side={side} />
      ))}
    </g>
  );
}

interface HalfProps {
  readonly x: number;
  readonly width: number;
  readonly row: AuditRow;
  readonly standing: Standing;
  readonly side: "left" | "right";
}

function Half({ x, width, row, standing, side }: HalfProps) {
  const { finding, label, y } = row;
  const value = side === "left" ? finding.networkService : finding.controller;
  const shown = standing === "absent" ? "not here" : standing === "differs" && value !== undefined ? value : label;
  const lead = width > 300 && standing === "differs" && value !== undefined ? `${label}: ` : "";
  return (
    <g class={`half is-${standing}`}>
      <rect x={x + 6} y={y + 2} width={width - 12} height={LINE - 4} rx="5" />
      <text x={x + 14} y={y + LINE / 2 + 4.5}>
        {shorten(`${lead}${shown}`, width - 30)}
        <title>{`${label}: ${value ?? shown}`}</title>
      </text>
    </g>
  );
}

const SIGNS: Readonly<Record<AuditFindingView["kind"], string>> = {
  "only-in-network-service": "✕",
  "only-in-controller": "✕",
  differs: "≠",
  "re-keyed": "⇄",
  "lookup-row": "404",
};

/** Line between the sides. It ends in the middle if one side has no object. */
function Join({
  row: { y, left, right, finding, words },
  from,
  to,
}: {
  readonly row: AuditRow;
  readonly from: number;
  readonly to: number;
}) {
  const at = y + LINE / 2;
  const half = (from + to) / 2;
  return (
    <g class={`join ${left === "absent" || right === "absent" ? "is-broken" : "is-unequal"}`}>
      <title>{words}</title>
      {left !== "absent" && <path d={`M${from - 6} ${at}H${half - 14}`} />}
      {right !== "absent" && <path d={`M${half + 14} ${at}H${to + 6}`} />}
      <rect x={half - 15} y={at - 11} width="30" height="22" rx="11" />
      <text x={half} y={at + 4.5} text-anchor="middle">
        {SIGNS[finding.kind]}
      </text>
    </g>
  );
}
