import { type Commit, goodWords, isUndisturbed, type Violation } from "./checker.js";
import { OUR_ADMIN } from "./documents.js";
import { isDeclarable, problemOf } from "./rulebase-state.js";
import type { World } from "./world.js";

/** Checks the rulebase of a history: its order, unmanaged rules, and a deleted anchor. */
export function judgeRules(world: World): Violation[] {
  if (world.script.rules === undefined) return [];
  return [...world.firewall.events.flatMap((event) => (event.kind === "commit" ? judgeOthers(event) : [])), ...judgeStatus(world)];
}

/** A commit of a run neither creates, deletes nor reorders rules of other administrators. */
function judgeOthers({ admin, carried, rulesBefore, rules }: Commit): Violation[] {
  if (admin !== OUR_ADMIN || carried.some(({ administrator }) => administrator !== OUR_ADMIN)) return [];
  const [before, after] = [rulesBefore, rules].map((names) => names.filter((name) => !isDeclarable(name)).join());
  return before === after ? [] : [{ rule: "foreign change lost", message: `rules of others were ${before} and became ${after}` }];
}

/** A command or a pass that reported "in sync" saw the declared order, no unmanaged rule in a rulebase that is not shared, and the anchor. */
function judgeStatus(world: World): Violation[] {
  return goodWords(world).flatMap((told) => {
    const wanted = world.wanted.get(told.commit ?? "");
    if (wanted === undefined || !isUndisturbed(world, told)) return [];
    const why = problemOf(world, wanted, rulesAt(world, told.ended));
    return why === undefined ? [] : [{ rule: "untrue" as const, message: `${told.process} reported that all is well, and ${why}` }];
  });
}

function rulesAt({ firewall }: World, moment: number): readonly string[] {
  const last = firewall.events.findLast((event): event is Commit => event.kind === "commit" && event.at <= moment);
  return last?.rules ?? firewall.initialRules;
}
