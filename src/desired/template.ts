/** Sources of secrets: the words before the colon of a reference. No target may have such a name. */
export const SECRET_SCHEMES = ["env", "file", "exec", "vault", "sops", "credential"] as const;

/** A reference such as `${env:NAME}`. */
export interface SecretReference {
  readonly kind: (typeof SECRET_SCHEMES)[number];
  readonly argument: string;
  readonly text: string;
}

/** One `${…}` of a value. */
export type TemplateReference =
  | SecretReference
  | { readonly kind: "keep"; readonly text: string }
  /** A value in another target's tree. `path` is an XPath, absolute or relative to its root element. */
  | { readonly kind: "target"; readonly target: string; readonly path: string; readonly text: string }
  /** Inside `$forEach` or `$count`: `name`, `index`, or a path from the selected node. */
  | { readonly kind: "local"; readonly path: string; readonly text: string };

/** `${value:NAME}`: the target's value for this name in `plumbline.yaml`. */
export interface ValueReference {
  readonly kind: "value";
  readonly name: string;
  readonly text: string;
}

/** A value as written in a document; `body/values.ts` replaces the values of its target. */
export type WrittenTemplate = readonly (string | TemplateReference | ValueReference)[];

export type Template = readonly (string | TemplateReference)[];

export function isSecretReference(part: WrittenTemplate[number]): part is SecretReference {
  return typeof part !== "string" && isScheme(part.kind);
}

function isScheme(text: string): text is SecretReference["kind"] {
  return SECRET_SCHEMES.some((scheme) => scheme === text);
}

/** Returns whether a text needs `parseTemplate`. */
export function mayRefer(text: string): boolean {
  return text.includes("${");
}

/**
 * Splits a value at its references; `$${` is a literal `${`. A brace inside quotes does not end a reference, since XPath predicates may
 * contain one. Returns the offset of an unclosed `${` instead, if there is one.
 */
export function parseTemplate(text: string): WrittenTemplate | { readonly unclosedAt: number } {
  const parts: (string | TemplateReference | ValueReference)[] = [];
  let literal = "";
  let at = 0;
  for (;;) {
    const open = text.indexOf("${", at);
    if (open === -1) break;
    if (open > at && text[open - 1] === "$") {
      literal += `${text.slice(at, open - 1)}\${`;
      at = open + 2;
      continue;
    }
    const close = closingBrace(text, open + 2);
    if (close === -1) return { unclosedAt: open };
    literal += text.slice(at, open);
    if (literal !== "") parts.push(literal);
    literal = "";
    parts.push(parseReference(text.slice(open + 2, close), text.slice(open, close + 1)));
    at = close + 1;
  }
  literal += text.slice(at);
  if (literal !== "" || parts.length === 0) parts.push(literal);
  return parts;
}

/** Escapes a literal value: import writes `${` as `$${`. */
export function escapeTemplate(text: string): string {
  return text.replaceAll("${", () => "$${");
}

function closingBrace(text: string, from: number): number {
  let quoted = "";
  for (let at = from; at < text.length; at++) {
    const character = text[at] ?? "";
    if (quoted !== "") {
      if (character === quoted) quoted = "";
    } else if (character === "'" || character === '"') quoted = character;
    else if (character === "}") return at;
  }
  // An unclosed quote is part of a shell command or a name, not of an XPath.
  return text.indexOf("}", from);
}

function parseReference(inside: string, text: string): TemplateReference | ValueReference {
  if (inside === "keep") return { kind: "keep", text };
  const scheme = /^([A-Za-z0-9_][A-Za-z0-9_.-]*):(?!:)/.exec(inside)?.[1];
  if (scheme === undefined) return { kind: "local", path: inside.trim(), text };
  const argument = inside.slice(scheme.length + 1).trim();
  if (scheme === "value") return { kind: "value", name: argument, text };
  if (isScheme(scheme)) return { kind: scheme, argument, text };
  return { kind: "target", target: scheme, path: argument, text };
}
