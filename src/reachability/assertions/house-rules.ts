import { PlumblineError, type Where } from "../../core/errors.js";
import type { TreeNode } from "../../core/tree/node.js";
import type { Path } from "../../core/tree/path.js";
import { Locator } from "../../core/tree/query/locate.js";
import { Query } from "../../core/tree/query/query.js";
import { parsePath } from "../../core/tree/xpath/xpath.js";
import type { HouseRule } from "../../desired/assertions.js";
import type { DesiredKind } from "../../desired/kind.js";
import type { DesiredTarget } from "../../desired/model.js";
import { querySubtrees, searchRoots } from "../../desired/query-subtrees.js";
import { type AssertionState, gravityOf, type JudgedAssertion } from "../../outcome/assertion.js";
import { declaredAt } from "../declared-at.js";
import type { Versions } from "./assertions.js";

/** Maximum number of listed violations per rule. */
const MOST_PLACES = 5;

interface Found {
  readonly state: AssertionState;
  readonly why: readonly string[];
  /** XPaths of the selected nodes. */
  readonly selected: readonly string[];
}

/** Subtrees to read for these rules. */
export function houseRuleSubtrees(rules: readonly HouseRule[], kind: DesiredKind): readonly Path[] {
  return rules.flatMap(({ xpath, place }) => querySubtrees(new Query(xpath), kind, place) ?? searchRoots(kind.shape, kind.rootTag));
}

/** Judges house rules before and after a change. Existing violations do not count as caused by the change. */
export function judgeHouseRules(rules: readonly HouseRule[], desired: DesiredTarget, { before, after }: Versions): JudgedAssertion[] {
  return rules.map((rule): JudgedAssertion => {
    const query = new Query(rule.xpath);
    const is = foundIn(query, after, rule.place);
    const was = before === after ? is : foundIn(query, before, rule.place);
    const known = new Set(was.selected);
    const added = is.selected.filter((xpath) => !known.has(xpath));
    const shown = added.length === 0 ? is.selected : added;
    const { name, description, strict, place, origin } = rule;
    return {
      name,
      description,
      scope: place.name ?? (place.depth > 1 ? place.tag : ""),
      where: desired.sources.locate(origin) ?? {},
      state: is.state,
      before: was.state,
      isByChange: gravityOf(is.state) > gravityOf(was.state) || (was.state === "broken" && added.length > 0),
      why: is.why,
      accepted: undefined,
      strict,
      selected:
        shown.length === 0
          ? undefined
          : { count: is.selected.length, places: shown.slice(0, MOST_PLACES).map((xpath) => whereOf(xpath, desired)) },
    };
  });
}

function foundIn(query: Query, tree: TreeNode, place: Path): Found {
  try {
    const result = query.evaluateAt(tree, place);
    if (result === undefined) return { state: "empty", why: [`There is no ${place}.`], selected: [] };
    if (typeof result !== "object") return { state: "empty", why: [`xpath: returns a ${typeof result} instead of nodes.`], selected: [] };
    const locator = new Locator();
    return { state: result.length === 0 ? "holds" : "broken", why: [], selected: result.map((node) => locator.locate(node)) };
  } catch (error) {
    if (error instanceof PlumblineError) return { state: "unknown", why: [error.message], selected: [] };
    throw error;
  }
}

/** Texts and attributes have no declaration line. */
function whereOf(xpath: string, desired: DesiredTarget): Where {
  try {
    return { ...declaredAt(desired, parsePath(xpath)), xpath };
  } catch {
    return { xpath };
  }
}
