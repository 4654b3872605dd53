import { groupBy } from "../../core/group-by.js";
import { type Bounds, Budget } from "./budget.js";
import type { CompiledPolicy, Model } from "./compile.js";
import { Conjunctions } from "./conjunctions.js";
import { decidedBy, type Part } from "./decide.js";
import type { Rule, UserState, Verdict } from "./policy.js";
import { RankSets } from "./rank-sets.js";
import { AXES, type Axis, type Box } from "./space.js";

/** Steps for one kind of session. */
const STEPS = 200_000;
/** Maximum number of cached kinds of sessions. The cache is then cleared. */
const MEMORY = 200_000;

/** Used instead of a rank: all ranks. */
const ANY = -1;

/** A session as a target logged it. */
export interface Session {
  readonly from: string;
  readonly to: string;
  /** Numbers as in `AddressRange`. */
  readonly source: bigint;
  readonly destination: bigint;
  /** IP protocol number. */
  readonly protocol: number;
  readonly port: number;
  readonly sourcePort: number;
  /** Highest source port of a group of sessions. `sourcePort` is the lowest. */
  readonly lastSourcePort?: number | undefined;
  /** Undefined if the session ended before the application was identified. */
  readonly application: string | undefined;
  readonly user: UserState;
  /** The deciding rule in the log, with its name at that time. */
  readonly rule: LoggedRule;
}

interface LoggedRule {
  readonly name: string;
  readonly uuid: string | undefined;
}

/** Result for a session. */
export interface Replayed {
  /**
   * `same`: the verdict is certainly the same. `changed`: it certainly differs. `may change`: it depends on unknowns. `undecided`: the
   * effort ran out.
   */
  readonly effect: "same" | "changed" | "may change" | "undecided";
  /** Rules that decide the session, or may decide it, before and after. */
  readonly before: readonly Rule[];
  readonly after: readonly Rule[];
  /** Verdicts before and after. Undefined if they depend on unknowns. */
  readonly verdicts: readonly [Verdict | undefined, Verdict | undefined];
  /** False if the logged rule cannot have decided the session according to the policy before. */
  readonly agrees: boolean;
}

/**
 * Judges logged sessions by two policies of one model. The logged rule decided the session, and no rule above it did. This gives
 * information about the unknowns at that time. It is used if the policy before agrees with the log.
 */
export class Replay {
  readonly #model: Model;
  readonly #before: CompiledPolicy;
  readonly #after: CompiledPolicy;
  readonly #bounds: Bounds;
  readonly #byName: ReadonlyMap<string, readonly number[]>;
  readonly #byUuid: ReadonlyMap<string | undefined, readonly number[]>;
  readonly #memory = new Map<string, Replayed>();

  constructor(model: Model, before: CompiledPolicy, after: CompiledPolicy, bounds: Bounds = { steps: STEPS }) {
    this.#model = model;
    this.#before = before;
    this.#after = after;
    this.#bounds = bounds;
    const places = [...before.rules.keys()];
    this.#byName = groupBy(places, (at) => ruleAt(before, at).key.name);
    this.#byUuid = groupBy(places, (at) => ruleAt(before, at).key.uuid);
  }

  /** Returns undefined if neither policy has one of the zones. */
  judge(session: Session): Replayed | undefined {
    const ranks = this.#ranksOf(session);
    if (ranks === undefined) return undefined;
    const { name, uuid } = session.rule;
    const lastPort = this.#model.coordinates.sourcePorts.rankOf(session.lastSourcePort ?? session.sourcePort);
    const key = `${ranks.join()},${lastPort} ${uuid ?? ""} ${name}`;
    const known = this.#memory.get(key);
    if (known !== undefined) return known;
    const judged = this.#judge(this.#boxOf(ranks, lastPort), this.#placesOf(session.rule));
    if (this.#memory.size >= MEMORY) this.#memory.clear();
    this.#memory.set(key, judged);
    return judged;
  }

  /** Returns ranks in the order of the axes; -1 means any. */
  #ranksOf({ from, to, source, destination, application, protocol, port, sourcePort, user }: Session): readonly number[] | undefined {
    const { coordinates } = this.#model;
    const pair = coordinates.zonePairRank(from, to);
    if (pair === undefined) return undefined;
    const ranks: Readonly<Record<Axis, number>> = {
      zones: pair,
      service: coordinates.serviceRank(protocol, port),
      application: application === undefined ? ANY : coordinates.applicationRank(application),
      user: coordinates.userRank(user),
      sourcePort: coordinates.sourcePorts.rankOf(sourcePort),
      source: coordinates.addresses.source.rankOf(source),
      destination: coordinates.addresses.destination.rankOf(destination),
    };
    return AXES.map((axis) => ranks[axis]);
  }

  #boxOf(ranks: readonly number[], lastPort: number): Box {
    const { space } = this.#model;
    const endOf = (rank: number, place: number) => (AXES[place] === "sourcePort" ? lastPort : rank) + 1;
    const sets = ranks.map((rank, place) =>
      rank === ANY ? RankSets.ALL : (space.axes[place] as RankSets).of([[rank, endOf(rank, place)]]),
    );
    return [...sets, Conjunctions.TRUE];
  }

  /** Finds rules by uuid if possible. Names may be in several levels, and the rule may have been renamed since. */
  #placesOf({ name, uuid }: LoggedRule): ReadonlySet<number> {
    const own = uuid === undefined || uuid === "" ? undefined : this.#byUuid.get(uuid);
    return new Set(own ?? this.#byName.get(name));
  }

  #judge(box: Box, logged: ReadonlySet<number>): Replayed {
    const [before, after] = [this.#partsOf(this.#before, box), this.#partsOf(this.#after, box)];
    if (before === undefined || after === undefined)
      return { effect: "undecided", before: [], after: [], verdicts: [undefined, undefined], agrees: true };
    const own = before.filter(({ at }) => logged.has(at));
    const agrees = own.length > 0;
    const pairs = (agrees ? own : before).flatMap((was) =>
      after.filter((now) => this.#model.space.and(was.box, now.box) !== undefined).map((now) => [was, now] as const),
    );
    const rules = {
      before: distinct(pairs.map(([was]) => ruleAt(this.#before, was.at))),
      after: distinct(pairs.map(([, now]) => ruleAt(this.#after, now.at))),
    };
    const changes = new Set(pairs.map(([was, now]) => ruleAt(this.#before, was.at).verdict !== ruleAt(this.#after, now.at).verdict));
    const effect = changes.size > 1 ? "may change" : changes.has(true) ? "changed" : "same";
    return { effect, ...rules, verdicts: [onlyVerdict(rules.before), onlyVerdict(rules.after)], agrees };
  }

  #partsOf(policy: CompiledPolicy, box: Box): readonly Part[] | undefined {
    return decidedBy(this.#model.space, [box], policy.index.meeting(box), () => true, new Budget(this.#bounds));
  }
}

const ruleAt = ({ rules }: CompiledPolicy, at: number): Rule => (rules[at] as CompiledPolicy["rules"][number]).rule;
const distinct = (rules: readonly Rule[]): readonly Rule[] => [...new Set(rules)];

function onlyVerdict(rules: readonly Rule[]): Verdict | undefined {
  const verdicts = new Set(rules.map(({ verdict }) => verdict));
  return verdicts.size === 1 ? rules[0]?.verdict : undefined;
}
