import type { DriftView, OperationView, Place } from "../../src/agent/page/view.ts";

/** Returns the steps of an XPath for display: the name of an entry, else the tag. */
export function stepsOf(xpath: string): string[] {
  const steps: string[] = [];
  for (const [, tag = "", , single, double] of xpath.matchAll(/\/([^/[\]]+)((?:\[[^'"\]]*(?:'([^']*)'|"([^"]*)")[^\]]*\])?)/g)) {
    const name = single ?? double;
    // The tag `entry` adds no information to the name.
    if (name === undefined) steps.push(tag);
    else if (tag === "entry" || tag === "member") steps.push(name);
    else steps.push(`${tag} ${name}`);
  }
  return steps;
}

/** Changes below one path. */
export interface Branch {
  /** One step, or a chain of steps with one child each. */
  readonly label: readonly string[];
  readonly changes: readonly DriftView[];
  readonly branches: readonly Branch[];
}

interface Growing {
  readonly changes: DriftView[];
  readonly below: Map<string, Growing>;
}

/** Steps that are in most paths of a firewall and are hidden. A path with no other steps keeps them. */
const NOISE = new Set(["config", "devices", "localhost.localdomain", "vsys", "device-group"]);

/** Returns the changes as a tree. A chain of steps with one child each is one branch. */
export function treeOf(changes: readonly DriftView[]): Branch {
  const root: Growing = { changes: [], below: new Map() };
  for (const change of changes) {
    const steps = stepsOf(change.xpath);
    const shown = steps.filter((step) => !NOISE.has(step));
    let at = root;
    for (const step of shown.length > 0 ? shown : steps) {
      let next = at.below.get(step);
      if (next === undefined) {
        next = { changes: [], below: new Map() };
        at.below.set(step, next);
      }
      at = next;
    }
    at.changes.push(change);
  }
  return branchOf([], root);
}

/** Returns the changes of a kind (empty for all) that contain all the words in their path or author. */
export function fitting(changes: readonly DriftView[], typed: string, kind: string): readonly DriftView[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && kind === "") return changes;
  return changes.filter((change) => {
    const text = `${change.xpath} ${change.author ?? "unknown"}`.toLowerCase();
    return (kind === "" || change.kind === kind) && words.every((word) => text.includes(word));
  });
}

function branchOf(label: readonly string[], growing: Growing): Branch {
  const [only] = growing.below;
  if (growing.changes.length === 0 && growing.below.size === 1 && only !== undefined) return branchOf([...label, only[0]], only[1]);
  return { label, changes: growing.changes, branches: [...growing.below].map(([step, below]) => branchOf([step], below)) };
}

export interface Line {
  readonly depth: number;
  readonly name: string;
  /** Undefined for an element with children. */
  readonly value: string | undefined;
}

/** Returns a function that finds the source line of an operation: that of a change at, above or below its path. */
export function placesOf(changes: readonly DriftView[]): (xpath: string) => Place | undefined {
  const places = new Map(changes.flatMap(({ xpath, source }) => (source === undefined ? [] : [[xpath, source] as const])));
  return (xpath) => {
    for (let at = xpath; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
      const place = places.get(at);
      if (place !== undefined) return place;
    }
    return [...places].find(([path]) => path.startsWith(`${xpath}/`) || path.startsWith(`${xpath}[`))?.[1];
  };
}

/** Returns a function that finds where the new rules of an operation go: `after web-to-db`, with their names if they are several. */
export function positionsOf(changes: readonly DriftView[]): (operation: OperationView) => string | undefined {
  const rules = changes.filter(({ follows }) => follows !== undefined);
  return ({ action, xpath }) => {
    if (action !== "set" && action !== "edit") return undefined;
    const made = rules.filter((rule) => rule.xpath === xpath || rule.xpath.startsWith(`${xpath}/`));
    const nameOf = (rule: DriftView): string => (made.length > 1 ? `${/'([^']*)'\]$/.exec(rule.xpath)?.[1] ?? ""} ` : "");
    const shown = made.slice(0, 3).map((rule) => `${nameOf(rule)}${rule.follows === "" ? "at the top" : `after ${rule.follows}`}`);
    return made.length === 0 ? undefined : `${shown.join(", ")}${made.length > 3 ? ` and ${made.length - 3} more` : ""}`;
  };
}

/** Returns XML as lines of names and values, outermost element first. A list of members is one line. */
export function linesOf(xml: string): Line[] {
  const root = new DOMParser().parseFromString(xml, "application/xml").documentElement;
  if (root.getElementsByTagName("parsererror").length > 0 || root.tagName === "parsererror") return [{ depth: 0, name: "", value: xml }];
  const lines: Line[] = [];
  walk(root, 0, lines);
  return lines;
}

function walk(element: Element, depth: number, lines: Line[]): void {
  const children = [...element.children];
  const name = element.getAttribute("name") ?? element.tagName;
  if (children.length === 0) lines.push({ depth, name, value: element.textContent ?? "" });
  else if (children.every(({ tagName }) => tagName === "member"))
    lines.push({ depth, name, value: children.map(({ textContent }) => textContent ?? "").join(", ") });
  else {
    lines.push({ depth, name, value: undefined });
    for (const child of children) walk(child, depth + 1, lines);
  }
}

/** Returns the members of a list in XML. Undefined if it is not a list. */
export function membersOf(xml: string): string[] | undefined {
  const root = new DOMParser().parseFromString(xml, "application/xml").documentElement;
  const children = [...root.children];
  if (children.length === 0 || !children.every(({ tagName }) => tagName === "member")) return undefined;
  return children.map(({ textContent }) => textContent ?? "");
}
