import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DOMParser, type Element, type Node } from "@xmldom/xmldom";
import type { TreeNode } from "../../src/core/tree/node.js";
import { parseXml } from "../../src/core/tree/xml/parse.js";
import { refusedNodes } from "../../src/desired/field-faults.js";
import { loadDesired } from "../../src/desired/load.js";
import type { DesiredNode, DesiredTarget } from "../../src/desired/model.js";
import { importConfiguration } from "../../src/import/import-configuration.js";
import { panosKind } from "../../src/targets/panos/kind.js";
import { kinds } from "../../src/targets/registry.js";
import { broken, type Draw, draws, shuffled } from "./breaks.js";
import { Documents } from "./documents.js";
import type { Configuration } from "./sources.js";
import { type Place, type Rule, takes } from "./specification.js";

/** A leaf that the specifications describe and accept. */
interface Leaf {
  readonly element: Element;
  /** Tags with names, as in `entry[web]`; for a member, those of its list. */
  readonly steps: readonly string[];
  readonly rules: readonly Rule[];
}

interface Broken {
  readonly leaf: Leaf;
  /** The broken text. */
  readonly text: string;
}

/** Result of judging one configuration. */
interface Judged {
  readonly name: string;
  readonly seen: boolean;
  /** Leaves that the specifications would refuse in some other spelling. */
  readonly judgeable: number;
  /** Errors of the product for the original configuration. */
  readonly alarms: readonly string[];
  /** Leaves that the specifications refuse in the original: older versions accepted values that newer ones refuse. */
  readonly refusedAsTheyAre: number;
  /** Broken leaves that the product refuses. */
  readonly caught: number;
  /** Broken values that the product accepts: place and value. */
  readonly missed: readonly string[];
  /** Broken values without a document: values that `import` omits, and secrets. */
  readonly notWritten: number;
  /** Errors of the product in the broken configuration at unbroken places. */
  readonly bystanders: readonly string[];
}

/**
 * Breaks `sample` leaves of the configurations, about the same number in each, and checks whether the product reports each. All of a
 * configuration are broken together and distinguished by place, because separate runs would read it 2,000 times. A fault that hides another
 * shows as missed.
 */
export async function judge(
  configurations: readonly Configuration[],
  specifications: Place,
  sample: number,
  seed: number,
): Promise<Judged[]> {
  const draw = draws(seed);
  const read = configurations.map((configuration) => new Reading(configuration, specifications, draw));
  let left = sample;
  for (const [index, reading] of [...read].sort((a, b) => a.leaves.length - b.leaves.length).entries()) {
    const share = Math.ceil(left / (read.length - index));
    left -= reading.choose(share);
  }
  const judged: Judged[] = [];
  for (const reading of read) judged.push(await reading.judged());
  return judged;
}

class Reading {
  leaves: Leaf[] = [];
  readonly #configuration: Configuration;
  readonly #draw: Draw;
  #refused = 0;
  #judgeable = 0;
  #chosen: readonly Broken[] = [];

  constructor(configuration: Configuration, specifications: Place, draw: Draw) {
    const document = new DOMParser({ onError: () => {} }).parseFromString(configuration.xml, "text/xml");
    const config = document.getElementsByTagName("config")[0];
    if (config === undefined) throw new Error(`${configuration.name} has no element config`);
    this.#configuration = configuration;
    this.#draw = draw;
    this.#walk(config, ["config"], specifications);
    this.#judgeable = this.leaves.length;
    this.leaves = oneOfEachList(shuffled(this.leaves, draw));
  }

  /** Gives how many there are to choose. */
  choose(most: number): number {
    this.#chosen = this.leaves.slice(0, most).flatMap((leaf) => {
      const text = broken(leaf.rules, textOf(leaf.element), this.#draw);
      return text === undefined ? [] : [{ leaf, text }];
    });
    return this.#chosen.length;
  }

  async judged(): Promise<Judged> {
    const { name, seen, xml } = this.#configuration;
    const folder = mkdtempSync(join(tmpdir(), "plumbline-judge-"));
    try {
      const tree = configOf(parseXml(xml));
      importConfiguration({ xml: tree, kind: panosKind, out: folder });
      const whole = await loaded(folder);
      const unsayable = panosKind.fields === undefined ? [] : [...refusedNodes(tree, panosKind.fields())];
      const tried = breakDocuments(folder, whole, this.#chosen);
      const faults = new Set(faultsOf(await loaded(folder)).map((fault) => fault.replace(/: .*/s, "")));
      const written = tried.filter(({ isBroken }) => isBroken);
      const places = new Set(written.map(({ place }) => place));
      return {
        name,
        seen,
        judgeable: this.#judgeable,
        alarms: [...faultsOf(whole), ...unsayable.map((node) => `${node.name ?? node.tag} is written as $xml: ${node.text}`)],
        refusedAsTheyAre: this.#refused,
        caught: written.filter(({ place }) => faults.has(place)).length,
        missed: written.filter(({ place }) => !faults.has(place)).map(({ place, text }) => `${place} = ${text.slice(0, 40)}`),
        notWritten: tried.length - written.length,
        bystanders: [...faults].filter((place) => !places.has(place)),
      };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  #walk(element: Element, steps: readonly string[], place: Place | undefined): void {
    if (place === undefined) return;
    const below = elementsOf(element);
    const text = textOf(element);
    if (below.length === 0 && text !== "" && place.rules.length > 0) {
      if (takes(place.rules, text) === false) this.#refused += 1;
      else if (broken(place.rules, text, this.#draw) !== undefined)
        this.leaves.push({ element, steps: element.tagName === "member" ? steps.slice(0, -1) : steps, rules: place.rules });
    }
    for (const child of below) {
      const name = child.getAttribute("name");
      this.#walk(child, [...steps, name === null ? child.tagName : `${child.tagName}[${name}]`], place.below(child.tagName));
    }
  }
}

function elementsOf(element: Element): Element[] {
  return [...element.childNodes].filter((node: Node): node is Element => node.nodeType === node.ELEMENT_NODE);
}

function textOf(element: Element): string {
  return (element.textContent ?? "").trim();
}

/** A broken member is reported at its list, so one member of each list is broken. */
function oneOfEachList(leaves: readonly Leaf[]): Leaf[] {
  const seen = new Set<string>();
  return leaves.filter(({ steps }) => !seen.has(steps.join("/")) && seen.add(steps.join("/")) !== undefined);
}

/** The files of the project that `validate` reads. */
async function loaded(folder: string): Promise<DesiredTarget | undefined> {
  const options = { environment: {}, kinds, today: "2026-01-01", resolveSecrets: false };
  const { targets } = await loadDesired(join(folder, "plumbline.yaml"), options);
  return [...targets.values()][0];
}

function configOf(tree: TreeNode): TreeNode {
  return tree.tag === "config" || tree.children[0] === undefined ? tree : configOf(tree.children[0]);
}

interface Tried {
  readonly place: string;
  readonly text: string;
  /** False if no document has the value: `import` omits it, writes it as `$xml`, or keeps it as a secret. */
  readonly isBroken: boolean;
}

/** Replaces the original texts in the documents with the broken ones. */
function breakDocuments(folder: string, target: DesiredTarget | undefined, chosen: readonly Broken[]): Tried[] {
  const documents = new Documents(folder);
  const tried = chosen.map(({ leaf, text }) => {
    const node = nodeAt(target, leaf.steps);
    const whole = textOf(leaf.element);
    const held = node?.children.find((child) => child.tag === "member" && child.text.trim() === whole) ?? node;
    const at = held === undefined ? undefined : target?.sources.locate(held.origin);
    return { place: leaf.steps.join("/"), text, isBroken: at !== undefined && documents.replace(at, text) };
  });
  documents.save();
  return tried;
}

/** Errors and announced errors of `validate`, each as `place: message`. */
function faultsOf(target: DesiredTarget | undefined): string[] {
  return (target?.faults ?? []).map(({ path, message }) => {
    const steps = path.steps().map(({ tag, name }) => (name === undefined ? tag : `${tag}[${name}]`));
    return `${steps.join("/")}: ${message}`;
  });
}

function nodeAt(target: DesiredTarget | undefined, [, ...steps]: readonly string[]): DesiredNode | undefined {
  return steps.reduce<DesiredNode | undefined>(
    (node, step) => node?.children.find(({ tag, name }) => step === (name === undefined ? tag : `${tag}[${name}]`)),
    target?.root,
  );
}
