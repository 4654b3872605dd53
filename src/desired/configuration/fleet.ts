import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import { PlumblineError, type Where } from "../../core/errors.js";
import { type Fleet, type FleetTarget, type GivenValue, selectTargets, type TargetSelection, unknownIn } from "../fleet.js";
import { checkText } from "../leaf-types.js";
import type { Problems } from "../problems.js";
import type { SourceFile } from "../source-file.js";
import { suggest } from "../suggest.js";
import type { ConfigurationFile } from "./read.js";

interface Definition {
  readonly type: string;
  readonly isList: boolean;
  readonly byDefault: GivenValue | undefined;
}

type Values = ReadonlyMap<string, GivenValue>;

const known = new WeakMap<ConfigurationFile, Fleet>();

/** Returns the fleet of a file. Reads it once, unless it contains errors. */
export function fleetOf(file: ConfigurationFile, problems: Problems): Fleet {
  const before = problems.errors.length;
  const fleet = known.get(file) ?? readFleet(file.source, file.document, problems);
  if (problems.errors.length === before) known.set(file, fleet);
  return fleet;
}

/** Reads labels, groups and values of `plumbline.yaml`. Reads each place once, however many targets there are. */
function readFleet(source: SourceFile, document: Document, problems: Problems): Fleet {
  return new FleetReader(source, document, problems).read();
}

class FleetReader {
  readonly #source: SourceFile;
  readonly #document: Document;
  readonly #problems: Problems;
  #definitions: ReadonlyMap<string, Definition> = new Map();

  constructor(source: SourceFile, document: Document, problems: Problems) {
    this.#source = source;
    this.#document = document;
    this.#problems = problems;
  }

  read(): Fleet {
    const root = this.#map(this.#document.contents);
    this.#definitions = new Map(this.#pairs(this.#at(root, "values")).map(([name, node]) => [name, this.#definition(name, node)]));
    const targets = new Map<string, FleetTarget>();
    const own = new Map<string, Values>();
    for (const [name, node] of this.#pairs(this.#at(root, "targets"))) {
      const map = this.#map(node);
      const labels = new Map(this.#pairs(this.#at(map, "labels")).map(([label, value]) => [label, this.#text(value)]));
      targets.set(name, { kind: this.#text(this.#at(map, "kind")), labels });
      own.set(name, this.#given(this.#at(map, "values"), `target ${name}`));
    }
    const groups = new Map<string, ReadonlySet<string>>();
    const shared = new Map<string, Values[]>();
    for (const [group, node] of this.#pairs(this.#at(root, "groups"))) {
      const members = this.#members(group, node, { targets, groups });
      groups.set(group, new Set(members));
      const values = this.#given(this.#at(this.#map(node), "values"), `group ${group}`);
      for (const name of members) shared.set(name, [...(shared.get(name) ?? []), values]);
    }
    for (const [name, several] of shared) this.#checkGroups(name, several, own.get(name) ?? new Map());
    const defaults = new Map(
      [...this.#definitions].flatMap(([name, { byDefault }]) => (byDefault === undefined ? [] : [[name, byDefault]])),
    );
    const known = new Map<string, Values>();
    return {
      targets,
      groups,
      valueNames: [...this.#definitions.keys()],
      valuesOf: (target) => {
        const values =
          known.get(target) ?? new Map([defaults, ...(shared.get(target) ?? []), own.get(target) ?? []].flatMap((each) => [...each]));
        known.set(target, values);
        return values;
      },
    };
  }

  #definition(name: string, node: Node | undefined): Definition {
    const map = isMap(node) ? node : undefined;
    const type = map === undefined ? "text" : this.#text(this.#at(map, "type")) || "text";
    const value = map === undefined ? node : this.#at(map, "default");
    const isList = map === undefined ? isSeq(node) : this.#text(this.#at(map, "list")) === "true" || isSeq(value);
    const definition = { type, isList, byDefault: undefined };
    return value === undefined ? definition : { ...definition, byDefault: this.#value(name, value, definition, undefined) };
  }

  /** Reads the values of a target or a group. */
  #given(node: Node | undefined, from: string): Values {
    const given = new Map<string, GivenValue>();
    for (const [name, value] of this.#pairs(node)) {
      const definition = this.#definitions.get(name);
      if (definition !== undefined) given.set(name, this.#value(name, value, definition, from));
      else {
        const next = `${suggest(name, [...this.#definitions.keys()])} Define it in values: at the top of plumbline.yaml.`;
        this.#problems.error(
          new PlumblineError("value-unknown", `values: does not declare "${name}".`, { where: this.#where(value), next }),
        );
      }
    }
    return given;
  }

  #value(name: string, node: Node | undefined, { type, isList }: Definition, from: string | undefined): GivenValue {
    const where = this.#where(node);
    const texts = isSeq(node) ? node.items.map((item) => this.#text(item as Node)) : [this.#text(node)];
    if (isSeq(node) !== isList) {
      const message = isList ? `"${name}" is a list, and here is one value.` : `"${name}" is one value, and here is a list.`;
      const next = isList ? `Write ${name}: [A, B].` : `Write one value, or declare ${name} with list: true.`;
      this.#problems.error(new PlumblineError("value-type", message, { where, next }));
    }
    for (const text of texts) {
      const expected = text.includes("${") ? undefined : checkText(type, text);
      if (expected === undefined && text !== "") continue;
      const message = `"${name}" is ${text === "" ? "empty" : `"${text}"`}, and must be ${expected ?? "a text"}.`;
      this.#problems.error(new PlumblineError("value-type", message, { where, next: "Correct the value, or its type: in values:." }));
    }
    return { texts, isList, where, from };
  }

  #members(group: string, node: Node | undefined, fleet: Pick<Fleet, "targets" | "groups">): readonly string[] {
    const map = this.#map(node);
    const selection: TargetSelection = {
      names: this.#texts(this.#at(map, "names")),
      kind: this.#text(this.#at(map, "kind")) || undefined,
      labels: new Map(this.#pairs(this.#at(map, "labels")).map(([label, value]) => [label, this.#texts(value) ?? []])),
      except: this.#texts(this.#at(map, "except")),
    };
    const unknown = unknownIn(selection, fleet);
    if (unknown !== undefined)
      this.#problems.error(
        new PlumblineError(unknown.code, unknown.message, { where: this.#where(node), next: suggest(unknown.name, unknown.known()) }),
      );
    const members = selectTargets(selection, fleet);
    if (members.length === 0 && unknown === undefined)
      this.#problems.error(
        new PlumblineError("targets-none", `The group "${group}" is empty.`, {
          where: this.#where(node),
          next: "Correct its labels, or delete it.",
        }),
      );
    return members;
  }

  /** Reports values for which two groups of a target differ, unless the target sets its own value. */
  #checkGroups(target: string, groups: readonly Values[], own: Values): void {
    const first = new Map<string, GivenValue>();
    for (const [name, value] of groups.flatMap((each) => [...each])) {
      const other = first.get(name);
      if (other === undefined) first.set(name, value);
      else if (!own.has(name) && JSON.stringify(other.texts) !== JSON.stringify(value.texts))
        this.#problems.error(
          new PlumblineError(
            "value-conflict",
            `"${name}" of ${target} has different values from ${other.from ?? ""} and from ${value.from ?? ""}.`,
            {
              where: { ...value.where, target },
              next: `Give ${target} its own ${name}, or take it out of one of the groups.`,
            },
          ),
        );
    }
  }

  #where(node: Node | undefined): Where {
    return this.#source.where(node?.range?.[0] ?? 0);
  }

  #resolved(node: unknown): Node | undefined {
    return isAlias(node) ? node.resolve(this.#document) : ((node as Node | undefined) ?? undefined);
  }

  #map(node: unknown): YAMLMap | undefined {
    const resolved = this.#resolved(node);
    return isMap(resolved) ? resolved : undefined;
  }

  #at(map: YAMLMap | undefined, key: string): Node | undefined {
    return map === undefined ? undefined : this.#resolved(map.get(key, true));
  }

  #pairs(node: Node | undefined): readonly (readonly [string, Node | undefined])[] {
    return (this.#map(node)?.items ?? []).map(({ key, value }) => [this.#text(key as Node), this.#resolved(value)] as const);
  }

  /** Returns a scalar as written: `1.10` and `0123` keep their text. */
  #text(node: Node | undefined): string {
    const resolved = this.#resolved(node);
    if (!isScalar(resolved)) return "";
    return typeof resolved.value === "string" ? resolved.value : (resolved.source ?? String(resolved.value ?? ""));
  }

  #texts(node: Node | undefined): readonly string[] | undefined {
    if (node === undefined) return undefined;
    return isSeq(node) ? node.items.map((item) => this.#text(item as Node)) : [this.#text(node)];
  }
}
