import { stringify } from "yaml";
import type { TreeNode } from "../../core/tree/node.js";
import { type DomElement, type DomNode, stringValue } from "../../core/tree/query/dom.js";
import { type Declaration, declare, type Wanted } from "../../import/declare.js";
import { count } from "../../report/format-counts.js";
import type { GetView } from "../choices.js";
import { type Answer, isElement, isNodes, withoutDocument } from "./answer.js";

/** YAML documents, and notes about them. */
export interface YamlAnswer {
  readonly text: string;
  readonly notes: readonly string[];
}

/**
 * Returns elements as documents of the desired state that can be saved. Texts, attributes, members and values are listed under the name of
 * the target: a single declared member would mean that its list has no other members.
 */
export function yamlText(answers: readonly Answer[], expression: string, view: GetView): YamlAnswer {
  const documents: string[] = [];
  const notes: string[] = [];
  for (const answer of answers) {
    const { target, result } = answer;
    const comment = `${view} ${target}: ${expression.replace(/\s+/g, " ")}`;
    const nodes = isNodes(result) ? result.map(withoutDocument) : [];
    const elements = nodes.filter(isElement).filter(({ nodeName }) => nodeName !== "member");
    if (elements.length > 0) {
      const declaration = declare(target, wanted(answer, elements), answer.kind, comment);
      documents.push(...declaration.documents);
      notes.push(...notesOf(target, declaration));
    }
    const declared = new Set<DomNode>(elements);
    const texts = nodes.filter((node) => !isWithin(node, declared)).map(stringValue);
    if (texts.length > 0) documents.push(valueDocument(comment, target, texts));
    if (!isNodes(result)) documents.push(valueDocument(comment, target, result));
  }
  return { text: documents.join("---\n"), notes };
}

/** Returns true for nodes that a document already contains: `elements` and their descendants. */
function isWithin(node: DomNode, elements: ReadonlySet<DomNode>): boolean {
  for (let at: DomNode | null = node; at !== null; at = at.parentNode) if (elements.has(at)) return true;
  return false;
}

function notesOf(target: string, { documents, left }: Declaration): string[] {
  if (documents.length === 0) return [`${target}: documents cannot express the result; use --format xml or json`];
  return left === 0
    ? []
    : [`${target}: ${count(left, "entry", "entries")} of the platform's own left out; --format xml and json show them`];
}

function valueDocument(comment: string, target: string, value: unknown): string {
  return `# ${comment}\n${stringify({ [target]: value }, { lineWidth: 0 })}`;
}

function wanted({ root }: Answer, elements: readonly DomElement[]): Wanted {
  const above = new Set<TreeNode>();
  for (const element of elements)
    for (let at = element.parentNode; at.nodeType === 1 && !above.has(at.tree); at = at.parentNode) above.add(at.tree);
  return { root, elements: new Set(elements.map(({ tree }) => tree)), above };
}
