import { formatWhere, PlumblineError } from "../core/errors.js";
import { type AcceptedOverlap, type Assertion, isAcceptedOverlap, isHouseRule } from "./assertions.js";
import { BuildContext, type Selector, type TargetDraft } from "./body/context.js";
import { children } from "./body/element.js";
import { buildDocument, forEachTargets } from "./build-document.js";
import type { Artifacts, LogWatch, Probe } from "./checks.js";
import { finishDesired } from "./finish.js";
import type { Fleet } from "./fleet.js";
import type { Header } from "./header.js";
import { BREADTHS, type Breadth } from "./header-targets.js";
import type { DesiredKind } from "./kind.js";
import { Layers } from "./layers.js";
import { Merge, Merging } from "./merge.js";
import { DesiredNode, type DesiredTarget, type Ignore, type TargetApplications, type ValueFault } from "./model.js";
import { applyOwnership, checkObligations, type OwnedPath } from "./ownership.js";
import type { Problems } from "./problems.js";
import type { HeaderAssertion } from "./read-assertions.js";
import type { TargetTree } from "./references.js";
import type { SourceFile } from "./source-file.js";
import { SourceMap } from "./source-map.js";
import type { YamlDocument } from "./yaml/document.js";

interface Waiting {
  readonly context: BuildContext;
  readonly header: Header;
}

/** Collects the documents of one target: first a tree per document, then one merged tree. */
export class TargetAssembly implements TargetTree {
  readonly draft: TargetDraft;
  readonly files: string[] = [];
  /** Targets that must be complete before documents with `$forEach` can be built. */
  readonly waitsFor = new Set<string>();
  /** Like `waitsFor`, but never cleared. */
  readonly selectsFrom = new Set<string>();
  readonly sources = new SourceMap();
  readonly #problems: Problems;
  readonly #trees: { readonly tree: DesiredNode; readonly breadth: Breadth }[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #owned = new Map<string, OwnedPath>();
  readonly #ignores: Ignore[] = [];
  readonly #watches: LogWatch[] = [];
  readonly #probes: Probe[] = [];
  readonly #artifacts: Artifacts[] = [];
  readonly #applications: TargetApplications[] = [];
  readonly #assertions = new Map<string, Assertion | AcceptedOverlap>();
  #faults: readonly ValueFault[] | undefined;
  #root: DesiredNode | undefined;

  constructor(target: string, kind: DesiredKind, fleet: Fleet, problems: Problems, stop: TargetDraft["stop"]) {
    this.#problems = problems;
    this.draft = {
      target,
      kind,
      values: fleet.valuesOf(target),
      valueNames: fleet.valueNames,
      pending: new Map(),
      obligations: [],
      edits: new Set(),
      partial: new Set(),
      warned: new Map(),
      unlisted: [],
      verbatim: [],
      stop,
    };
  }

  add(file: SourceFile, doc: YamlDocument, header: Header, select: Selector): void {
    this.files.push(file.name);
    const base = this.sources.add(file.name, file.text);
    if (header.allowsUnknown) this.draft.verbatim.push({ from: base, to: base + file.text.length });
    const context = new BuildContext({
      file,
      doc,
      base,
      problems: this.#problems,
      draft: this.draft,
      select,
      allowsUnknown: header.allowsUnknown,
      children,
    });
    for (const ignore of header.ignores) {
      const { path, owner, reason, until, node } = ignore;
      this.#ignores.push({ path, owner, reason, until, origin: context.origin(node) });
    }
    this.#watches.push(...header.watches);
    this.#probes.push(...header.probes);
    if (header.artifacts !== undefined) this.#artifacts.push(header.artifacts);
    if (header.applications !== undefined) {
      const { node, ...applications } = header.applications;
      this.#applications.push({ ...applications, origin: context.origin(node) });
    }
    for (const assertion of header.assertions) this.#addAssertion(context, assertion);
    for (const row of header.owns) this.#addOwned(context, row);
    const targets = file.text.includes("$forEach") ? forEachTargets(doc) : undefined;
    if (targets === undefined || targets.size === 0) this.#build(context, header);
    else {
      this.#waiting.push({ context, header });
      for (const target of targets) {
        this.waitsFor.add(target);
        this.selectsFrom.add(target);
      }
    }
  }

  /** Builds the documents that waited for other targets. */
  buildWaiting(): void {
    for (const { context, header } of this.#waiting.splice(0)) this.#build(context, header);
    this.waitsFor.clear();
  }

  /** The merged tree. Complete once no document waits. */
  get root(): DesiredNode {
    this.#root ??= this.#merge();
    return this.#root;
  }

  set root(root: DesiredNode) {
    this.#root = root;
  }

  merge(): void {
    this.#root ??= this.#merge();
  }

  /** Checks declarations that are only valid with a matching `owns:` line. */
  checkObligations(): void {
    const exclusive = [...this.#owned.values()].filter(({ ownership }) => ownership === "exclusive");
    checkObligations(this.draft, exclusive, this.#problems);
  }

  applyOwnership(): void {
    this.root = applyOwnership(this.root, this.draft.kind.shape, [...this.#owned.values()], this.draft.partial, this.#problems);
  }

  /**
   * Runs the checks that need resolved references: field values and house rules. For strict kinds it also checks types and sets keys and
   * marks (`finishDesired`).
   */
  async finish(owner: string): Promise<void> {
    const { kind } = this.draft;
    const faults = await this.#fieldFaults(kind);
    this.#faults = faults.length === 0 ? undefined : faults;
    await this.#checkHouseRules();
    if (kind.strict !== true) return;
    const root = kind.canonical?.(this.root) ?? this.root;
    this.root = finishDesired(root, kind.shape, owner, this.sources, this.#problems);
  }

  result(): DesiredTarget {
    const owned = [...this.#owned].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    const rows = owned.filter(({ ownership }) => ownership === "exclusive");
    return {
      target: this.draft.target,
      root: this.root,
      exclusive: rows.map(({ path }) => path),
      allowEmpty: rows.filter(({ allowEmpty }) => allowEmpty).map(({ path }) => path),
      ignores: this.#ignores,
      checks: this.#watches.length + this.#probes.length === 0 ? undefined : { watches: this.#watches, probes: this.#probes },
      artifacts: this.#artifacts.length === 0 ? undefined : this.#artifacts,
      applications: this.#applications.length === 0 ? undefined : this.#applications,
      ...this.#asserted(),
      faults: this.#faults,
      unlisted: this.draft.unlisted.length === 0 ? undefined : this.draft.unlisted,
      sources: this.sources,
    };
  }

  async #fieldFaults(kind: DesiredKind): Promise<readonly ValueFault[]> {
    if (kind.fields === undefined || this.files.length === 0) return [];
    const { fieldFaults } = await import("./field-faults.js");
    return fieldFaults(this.root, kind.fields(), (origin) => this.draft.verbatim.some(({ from, to }) => from <= origin && origin <= to));
  }

  async #checkHouseRules(): Promise<void> {
    const rules = (this.#asserted().assertions ?? []).filter(isHouseRule);
    if (rules.length === 0) return;
    const { houseRuleFaults } = await import("./house-rule-faults.js");
    for (const fault of houseRuleFaults(rules, this.sources)) this.#problems.error(fault);
  }

  #asserted(): Pick<DesiredTarget, "assertions" | "overlaps"> {
    const all = [...this.#assertions.values()];
    const [overlaps, assertions] = [all.filter(isAcceptedOverlap), all.filter((each): each is Assertion => !isAcceptedOverlap(each))];
    return { assertions: assertions.length === 0 ? undefined : assertions, overlaps: overlaps.length === 0 ? undefined : overlaps };
  }

  #addAssertion(context: BuildContext, { node, ...assertion }: HeaderAssertion): void {
    const { name } = assertion;
    const before = this.#assertions.get(name);
    if (before === undefined) this.#assertions.set(name, { ...assertion, origin: context.origin(node) });
    else
      this.#problems.error(
        new PlumblineError("assertion-invalid", `Two assertions have the name "${name}".`, {
          where: context.where(node),
          next: `Rename one of them. The other is at ${formatWhere(this.sources.locate(before.origin) ?? {})}.`,
        }),
      );
  }

  #addOwned(context: BuildContext, { path, ownership, allowEmpty, node }: Header["owns"][number]): void {
    const key = path.toString();
    const before = this.#owned.get(key);
    const where = context.where(node);
    if (before !== undefined && before.ownership !== ownership)
      this.#problems.error(
        new PlumblineError("document-key", `owns: is ${ownership} for ${key} here and ${before.ownership} in another document.`, {
          where,
          next: `Change one of the two lines. The other is at ${formatWhere(before.where)}.`,
        }),
      );
    this.#owned.set(key, { path, ownership, allowEmpty: allowEmpty || before?.allowEmpty === true, where: before?.where ?? where });
  }

  #build(context: BuildContext, header: Header): void {
    const tree = buildDocument(context, header);
    if (tree !== undefined) this.#trees.push({ tree, breadth: header.breadth });
  }

  #merge(): DesiredNode {
    const { kind } = this.draft;
    if (this.#trees.length === 0) return new DesiredNode(kind.rootTag, undefined, "", [], { origin: -1, prunes: false, declared: false });
    const trees = this.#trees.splice(0);
    const merging = new Merging(this.draft, this.sources, this.#problems);
    const layers = new Layers(merging);
    const merge = new Merge(merging);
    const merged = BREADTHS.flatMap((breadth) => {
      const equal = trees.filter((each) => each.breadth === breadth).map(({ tree }) => tree);
      return equal.length === 0 ? [] : [merge.merge(equal, kind.shape)];
    });
    const root = merged.reduce((wide, close) => layers.lay(close, wide, kind.shape));
    layers.checkEdits();
    return root;
  }
}
