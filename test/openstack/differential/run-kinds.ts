import { setTimeout as wait } from "node:timers/promises";
import type { Answer } from "../harness/session.js";
import { Draw } from "./draw.js";
import type { Kind, Values } from "./kind.js";
import type { Exchange, Pair, Request } from "./pair.js";

/** Milliseconds between two reads of an object that a service works on, and the maximum number of reads. */
const LOOK_AGAIN = 200;
const MOST_LOOKS = 300;

/** One request with different answers of the two clouds. */
export interface Difference {
  /** The method and the path of the collection: `POST subnets`. */
  readonly where: string;
  /** The values that make the request special: `mtu=70000`. */
  readonly labels: readonly string[];
  readonly what: readonly string[];
}

/** A sent change, and whether both clouds gave the same answer. */
interface Changed {
  readonly labels: readonly string[];
  readonly isAlike: boolean;
}

/** Sends `count` requests for randomly drawn kinds, and returns those with different answers. */
export async function runKinds(pair: Pair, kinds: readonly Kind[], seed: number, count: number): Promise<Difference[]> {
  const differences: Difference[] = [];
  const lots = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  const first = pair.sent;
  for (let round = 0; pair.sent - first < count; round++) {
    // Each round has its own draws, so a fix in one round does not change the requests of the next.
    const draw = new Draw(seed * 100_003 + round);
    await new Round(pair, draw.of(lots), draw, round, differences).run();
  }
  return differences;
}

/** Creates one object, changes it, lists it and deletes it. */
class Round {
  readonly #pair: Pair;
  readonly #kind: Kind;
  readonly #draw: Draw;
  readonly #round: number;
  readonly #differences: Difference[];

  constructor(pair: Pair, kind: Kind, draw: Draw, round: number, differences: Difference[]) {
    this.#pair = pair;
    this.#kind = kind;
    this.#draw = draw;
    this.#round = round;
    this.#differences = differences;
  }

  async run(): Promise<void> {
    const { path, singular, base, fields, queries, service, isReadOnly } = this.#kind;
    if (isReadOnly === true) {
      const query = this.#draw.of(queries);
      await this.#send("GET", query, [query]);
      return;
    }
    const drawn = this.#values(Object.keys(fields), this.#draw.chance(75) ? 1 : 2);
    const made = await this.#send("POST", path, drawn.labels, { [singular]: withValues(base, drawn.values) });
    const [real, lab] = [this.#idOf(made.real.json), this.#idOf(made.lab.json)];
    if (real === undefined || lab === undefined) return this.#pair.discard(service, path, real, lab);
    this.#pair.name("it", real, lab);
    await this.#settled();
    const steps = this.#draw.below(1 + (this.#kind.mostSteps ?? 2));
    let isAlike = true;
    for (const action of this.#draw.of(this.#kind.states ?? [[]])) isAlike &&= await this.#change(action);
    for (let step = 0; step < steps && isAlike; step++) isAlike = await this.#change();
    if (isAlike && queries.length > 0) {
      const query = this.#draw.of(queries);
      await this.#send("GET", `${path}${query}`, [query || "all"]);
    }
    const gone = await this.#send("DELETE", `${path}/$it`, drawn.labels);
    if (gone.differences.length > 0) await this.#pair.discard(service, path, real, lab);
  }

  // biome-ignore lint/suspicious/noExplicitAny: replies have many shapes
  #idOf(json: any): string | undefined {
    return json?.[this.#kind.singular]?.[this.#kind.identifiedBy ?? "id"];
  }

  async #settled(): Promise<void> {
    const { service, path, singular, isSettled } = this.#kind;
    if (isSettled === undefined) return;
    const isDone = ({ status, json }: Answer) => status >= 400 || isSettled(json[singular]);
    for (let left = MOST_LOOKS; left > 0; left--) {
      const [real, lab] = await this.#pair.peek({ service, method: "GET", path: `${path}/$it` });
      if (isDone(real) && isDone(lab)) return;
      await wait(LOOK_AGAIN);
    }
  }

  /** Sends an action, or one drawn update or action. Returns whether both clouds did the same. */
  async #change(action?: string): Promise<boolean> {
    const { labels, isAlike } = await (action === undefined ? this.#changeOnce() : this.#act(action));
    await this.#settled();
    if (!isAlike || this.#kind.isReadAfterChange !== true) return isAlike;
    return (await this.#send("GET", `${this.#kind.path}/$it`, labels)).differences.length === 0;
  }

  async #act(name: string): Promise<Changed> {
    const { path, actions = {} } = this.#kind;
    const [method, where, body] = actions[name] ?? ["GET", ""];
    return { labels: [name], isAlike: (await this.#send(method, `${path}/$it${where}`, [name], body)).differences.length === 0 };
  }

  async #changeOnce(): Promise<Changed> {
    const { path, singular, updates, actions = {} } = this.#kind;
    const names = Object.keys(actions);
    if (names.length > 0 && (updates.length === 0 || this.#draw.chance(60))) return this.#act(this.#draw.of(names));
    if (updates.length === 0) return { labels: [], isAlike: true };
    const { labels, values } = this.#values(updates, 1);
    return { labels, isAlike: (await this.#send("PUT", `${path}/$it`, labels, { [singular]: values })).differences.length === 0 };
  }

  #values(names: readonly string[], count: number): { readonly labels: string[]; readonly values: Record<string, unknown> } {
    const labels: string[] = [];
    const values: Record<string, unknown> = {};
    for (let at = 0; at < count; at++) {
      const field = this.#draw.of(names);
      const known: Values = this.#kind.fields[field] ?? {};
      const label = this.#draw.of(Object.keys(known));
      if (field in values) continue;
      labels.push(`${field}=${label}`);
      values[field] = known[label];
    }
    return { labels, values };
  }

  async #send(method: string, path: string, labels: readonly string[], body?: unknown): Promise<Exchange> {
    const { service, path: collection } = this.#kind;
    const numbered = (text: string) => text.replaceAll("#", String(this.#round));
    const request: Request = {
      service,
      method,
      path: numbered(path),
      ...(body === undefined ? {} : { body: JSON.parse(numbered(JSON.stringify(body))) }),
    };
    const exchange = await this.#pair.send(request);
    if (exchange.differences.length > 0) {
      const where = `${method} ${collection.split("/").at(-1) || service}`;
      this.#differences.push({ where, labels, what: exchange.differences });
    }
    return exchange;
  }
}

function withValues(base: Values, values: Values): Values {
  const all = { ...base, ...values };
  // A value of undefined takes the field away.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
