import { parser } from "@prometheus-io/lezer-promql";

/** Scrape interval and evaluation interval, in seconds. */
export const SCRAPE = 60;
/** Seconds after which a series without samples is gone. */
const LOOKBACK = 300;

type Labels = Readonly<Record<string, string>>;
interface Sample {
  readonly labels: Labels;
  readonly value: number;
}
export interface Series {
  readonly name: string;
  readonly labels: Labels;
  readonly points: (readonly [at: number, value: number])[];
}
type Value = number | readonly Sample[];
type Node = ReturnType<typeof parser.parse>["topNode"];

/** Samples of scraped pages. Times are seconds. */
export class Samples {
  readonly #series = new Map<string, Series>();
  readonly #trees = new Map<string, ReturnType<typeof parser.parse>>();
  /** Last scrape of each instance. */
  readonly #scraped = new Map<string, number>();
  readonly #includesStart: boolean;

  /** @param includesStart whether a range includes a sample at its start */
  constructor(includesStart: boolean) {
    this.#includesStart = includesStart;
  }

  /** Takes a page in the text format of Prometheus. Series that the page does not contain any more end. */
  scrape(instance: string, at: number, text: string): void {
    this.#scraped.set(instance, at);
    for (const line of text.split("\n")) {
      const [, name, labels = "", value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      if (name === undefined) continue;
      const pairs = [...labels.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, key = "", text = ""]) => [key, text] as const);
      const key = `${instance} ${name} ${labels}`;
      const series = this.#series.get(key) ?? { name, labels: { ...Object.fromEntries(pairs), instance }, points: [] };
      series.points.push([at, value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value)]);
      this.#series.set(key, series);
    }
  }

  /** Returns all series of these metrics. */
  all(names: ReadonlySet<string>): readonly Series[] {
    return [...this.#series.values()].filter(({ name }) => names.has(name));
  }

  /** Evaluates an expression. Supports the part of PromQL that the alert rules use. @throws Error for anything else */
  evaluate(expression: string, now: number): readonly Sample[] {
    const tree = this.#trees.get(expression) ?? parser.parse(expression);
    this.#trees.set(expression, tree);
    const value = this.#value(tree.topNode.firstChild, expression, now);
    if (typeof value === "number") throw new Error(`not a vector: ${expression}`);
    return value;
  }

  #value(node: Node | null, text: string, now: number): Value {
    const of = (child: Node | null | undefined): Value => this.#value(child ?? null, text, now);
    const word = (child: Node | null | undefined): string => (child == null ? "" : text.slice(child.from, child.to));
    switch (node?.type.name) {
      case "NumberDurationLiteral":
        return Number(word(node));
      case "ParenExpr":
        return of(node.firstChild);
      case "VectorSelector":
        return this.#selected(node, text).flatMap(({ labels, points }) => {
          const last = points.findLast(([at]) => at <= now);
          const isLive = last !== undefined && last[0] === this.#scraped.get(labels.instance ?? "") && now - last[0] < LOOKBACK;
          return isLive ? [{ labels, value: last[1] }] : [];
        });
      case "BinaryExpr": {
        const [left, operator, right] = children(node);
        return binary(of(left), word(operator), of(right));
      }
      case "AggregateExpr": {
        const by = (node.getChild("AggregateModifier")?.getChild("GroupingLabels")?.getChildren("LabelName") ?? []).map(word);
        const vector = of(node.getChild("FunctionCallBody")?.firstChild);
        return aggregate(word(node.getChild("AggregateOp")), by, vector);
      }
      case "FunctionCall": {
        const name = word(node.getChild("FunctionIdentifier"));
        const [first, second] = children(node.getChild("FunctionCallBody"));
        if (name === "time") return now;
        if (name === "absent") return (of(first) as readonly Sample[]).length === 0 ? [{ labels: {}, value: 1 }] : [];
        if (name === "increase" || name === "rate") return this.#increases(first, text, now, name === "rate");
        if (name === "histogram_quantile") return quantile(of(first) as number, of(second) as readonly Sample[]);
        throw new Error(`unknown function ${name}`);
      }
      default:
        throw new Error(`unknown part ${node?.type.name}: ${word(node)}`);
    }
  }

  #selected(node: Node, text: string): readonly Series[] {
    const name = text.slice(node.getChild("Identifier")?.from ?? 0, node.getChild("Identifier")?.to ?? 0);
    const matchers = (node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? []).map((each) => {
      const [label, operator, value] = children(each).map(({ from, to }) => text.slice(from, to));
      return { label: label ?? "", operator, value: (value ?? "").slice(1, -1) };
    });
    const fits = (labels: Labels) =>
      matchers.every(({ label, operator, value }) => {
        const known = labels[label] ?? "";
        if (operator === "=") return known === value;
        if (operator === "=~") return new RegExp(`^(?:${value})$`).test(known);
        throw new Error(`unknown matcher ${operator}`);
      });
    return [...this.#series.values()].filter((series) => series.name === name && fits(series.labels));
  }

  /** Sums the increases between samples. A lower value is a restart of the counter. */
  #increases(node: Node | undefined, text: string, now: number, perSecond: boolean): readonly Sample[] {
    const selector = node?.getChild("VectorSelector");
    if (node?.type.name !== "MatrixSelector" || selector == null) throw new Error("not a range");
    const range = seconds(text.slice(selector.to + 1, node.to - 1));
    return this.#selected(selector, text).flatMap(({ labels, points }) => {
      const values = points
        .filter(([at]) => at <= now && (at > now - range || (this.#includesStart && at === now - range)))
        .map(([, value]) => value);
      if (values.length < 2) return [];
      const increase = values.slice(1).reduce((sum, value, at) => {
        const before = values[at] ?? 0;
        return sum + (value < before ? value : value - before);
      }, 0);
      return [{ labels, value: perSecond ? increase / range : increase }];
    });
  }
}

function children(node: Node | null | undefined): Node[] {
  const found: Node[] = [];
  for (let child = node?.firstChild ?? null; child !== null; child = child.nextSibling) found.push(child);
  return found;
}

export function seconds(duration: string): number {
  const [, count = "", unit = ""] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  const factor = { s: 1, m: 60, h: 3600, d: 86_400 }[unit];
  if (factor === undefined) throw new Error(`not a duration: ${duration}`);
  return Number(count) * factor;
}

const key = (labels: Labels): string => JSON.stringify(Object.entries(labels).sort());

function binary(left: Value, operator: string, right: Value): Value {
  if (operator === "or") {
    const known = new Set((left as readonly Sample[]).map(({ labels }) => key(labels)));
    return [...(left as readonly Sample[]), ...(right as readonly Sample[]).filter(({ labels }) => !known.has(key(labels)))];
  }
  const compute = OPERATORS[operator];
  if (compute === undefined) throw new Error(`unknown operator ${operator}`);
  if (typeof left === "number" && typeof right === "number") throw new Error("two numbers");
  if (typeof left === "number") return (right as readonly Sample[]).flatMap((each) => kept(each, left, each.value, compute));
  if (typeof right === "number") return left.flatMap((each) => kept(each, each.value, right, compute));
  const others = new Map(right.map(({ labels, value }) => [key(labels), value]));
  return left.flatMap((each) => {
    const other = others.get(key(each.labels));
    return other === undefined ? [] : kept(each, each.value, other, compute);
  });
}

/** Returns the result of an operator. A comparison keeps the value or removes the sample. */
function kept({ labels, value }: Sample, left: number, right: number, compute: (a: number, b: number) => number | boolean): Sample[] {
  const result = compute(left, right);
  if (typeof result === "number") return [{ labels, value: result }];
  return result ? [{ labels, value }] : [];
}

const OPERATORS: Readonly<Record<string, (a: number, b: number) => number | boolean>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "==": (a, b) => a === b,
  ">": (a, b) => a > b,
};

function aggregate(name: string, by: readonly string[], vector: Value): readonly Sample[] {
  const combine = { sum: (a: number, b: number) => a + b, max: Math.max, min: Math.min }[name];
  if (combine === undefined || typeof vector === "number") throw new Error(`unknown aggregation ${name}`);
  const groups = new Map<string, Sample>();
  for (const { labels, value } of vector) {
    const group = Object.fromEntries(by.map((label) => [label, labels[label] ?? ""]));
    const known = groups.get(key(group));
    groups.set(key(group), { labels: group, value: known === undefined ? value : combine(known.value, value) });
  }
  return [...groups.values()];
}

/** Returns the upper bound of the bucket that contains the quantile. */
function quantile(share: number, buckets: readonly Sample[]): readonly Sample[] {
  const sorted = buckets
    .map(({ labels, value }) => ({ bound: labels.le === "+Inf" ? Number.POSITIVE_INFINITY : Number(labels.le), value }))
    .sort((a, b) => a.bound - b.bound);
  const total = sorted.at(-1)?.value ?? 0;
  const bucket = sorted.find(({ value }) => value >= share * total);
  return total === 0 || bucket === undefined ? [] : [{ labels: {}, value: bucket.bound }];
}
