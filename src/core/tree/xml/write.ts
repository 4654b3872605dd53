import { PlumblineError } from "../../errors.js";
import type { TreeNode } from "../node.js";
import { secretOf } from "../secret-of.js";
import { TEXT_TAG } from "./builder.js";
import { indexOfNonXml, isXmlName } from "./characters.js";
import { escapeBlank, escapeText, escapeValue } from "./escape.js";
import { isBlank } from "./scanner.js";

export interface XmlWriteOptions {
  /** Indents by two spaces and writes one element on each line. Mixed content stays on its line, because its white space is significant. */
  readonly indent?: boolean;
  /** `label` for display and logs; `reveal` only for requests. */
  readonly secrets: "label" | "reveal";
}

/**
 * Returns one element as XML that `parseXml` reads as an equal tree, without a declaration. With `indent` there is no final line end. With
 * `label`, metadata keys that are not XML names are escaped. Throws `xml-unwritable` for other names and for characters that XML cannot
 * contain.
 */
export function writeXml(node: TreeNode, options: XmlWriteOptions): string {
  return new Writer(options).write(node);
}

class Writer {
  readonly #indent: boolean;
  readonly #reveal: boolean;
  /** Names that were already checked. */
  readonly #names = new Set<string>();

  constructor(options: XmlWriteOptions) {
    this.#indent = options.indent === true;
    this.#reveal = options.secrets === "reveal";
  }

  write(node: TreeNode): string {
    return this.#element(node, "", this.#indent);
  }

  #element(node: TreeNode, margin: string, indent: boolean): string {
    const tag = this.#name(node.tag);
    const secret = secretOf(node);
    const own = secret === undefined ? node.text : this.#reveal ? secret.reveal() : secret.label;
    const start = tag + this.#attributes(node);
    const text = own === "" ? "" : escapeText(this.#checked(own, tag));
    const { children } = node;
    if (children.length === 0) return text === "" ? `<${start}/>` : `<${start}>${text}</${tag}>`;
    const inner = indent && text === "" && !children.some((child) => child.tag === TEXT_TAG);
    const deeper = inner ? `${margin}  ` : "";
    const parts: string[] = [];
    for (const child of children) {
      parts.push(child.tag === TEXT_TAG ? this.#mixedText(child, tag) : deeper + this.#element(child, deeper, inner));
    }
    return inner ? `<${start}>\n${parts.join("\n")}\n${margin}</${tag}>` : `<${start}>${text}${parts.join("")}</${tag}>`;
  }

  #mixedText(node: TreeNode, parent: string): string {
    const text = this.#checked(node.text, parent);
    return isBlank(text) ? escapeBlank(text) : escapeText(text);
  }

  #attributes(node: TreeNode): string {
    let written = node.name === undefined ? "" : ` name="${escapeValue(this.#checked(node.name, node.tag))}"`;
    if (node.attributes === undefined) return written;
    for (const [key, value] of node.attributes) {
      if (key === "name") throw unwritable(`"name" of <${node.tag}> is among its other attributes`);
      written += ` ${this.#name(key)}="${escapeValue(this.#checked(value, node.tag))}"`;
    }
    return written;
  }

  /** Escapes metadata keys that are not XML names, but only in XML for display. */
  #name(name: string): string {
    if (this.#names.has(name)) return name;
    if (!isXmlName(name) && METADATA_KEY.test(name) && !this.#reveal) return escapeName(name);
    if (!isXmlName(name)) throw unwritable(`${JSON.stringify(name)} is not a name that XML allows`);
    this.#names.add(name);
    return name;
  }

  #checked(text: string, tag: string): string {
    const bad = indexOfNonXml(text);
    if (bad < 0) return text;
    throw unwritable(`the value of <${tag}> holds U+${hexOf(text, bad)}, which XML cannot carry`);
  }
}

/** Keys of cloud metadata. */
const METADATA_KEY = /^[0-9A-Za-z_:. -]+$/;

/** Writes each character that an XML name cannot have as `_xHHHH_` (ISO 9075-14). */
function escapeName(name: string): string {
  const escaped = [...name].map((char, index) => (isXmlName(index === 0 ? char : `_${char}`) ? char : `_x${hexOf(char, 0)}_`));
  return escaped.join("");
}

function hexOf(text: string, at: number): string {
  return (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

function unwritable(problem: string): PlumblineError {
  return new PlumblineError("xml-unwritable", `Cannot be written as XML: ${problem}.`, {
    next: "Take the character out of the value in the desired state.",
  });
}
