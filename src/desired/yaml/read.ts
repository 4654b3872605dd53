import { EVENT_ID, type Event, parseEvents, YAMLException } from "js-yaml";
import { PlumblineError } from "../../core/errors.js";
import type { Problems } from "../problems.js";
import type { SourceFile } from "../source-file.js";
import { checkTabs, codePoint, EventCheck } from "./check.js";
import { eventOffset, nodeKind, YamlDocument } from "./document.js";
import { END, MAP, Nodes, SEQUENCE } from "./nodes.js";

/** Characters that YAML or XML cannot contain unescaped, byte order marks inside the text, and carriage returns without a line feed. */
const UNPRINTABLE = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]/;
const LONE_RETURN = /\r(?!\n)/;

/**
 * Reads the single YAML document of a file with the failsafe schema: scalars stay text. Refuses constructs that YAML readers interpret
 * differently: tags, directives, merge keys, duplicate keys, keys that are not scalars, several documents. Returns undefined after it
 * reported an error to `problems`.
 */
export function readYaml(file: SourceFile, problems: Problems): YamlDocument | undefined {
  const unprintable = UNPRINTABLE.exec(file.text) ?? LONE_RETURN.exec(file.text);
  if (unprintable !== null) {
    problems.error(
      new PlumblineError("control-character", `The file holds the control character ${codePoint(unprintable[0])}.`, {
        where: file.where(unprintable.index),
        next: "Delete it. Inside double quotes use an escape such as \\t for a tab.",
      }),
    );
    return undefined;
  }
  const marker = findMarker(file.text);
  if (marker !== null) {
    problems.error(lineMarker(file, marker[0], marker.index + marker[0].length - marker[0].trimStart().length));
    return undefined;
  }
  let events: Event[];
  try {
    events = parseEvents(file.text, { filename: file.name });
  } catch (cause) {
    problems.error(syntaxError(file, cause));
    return undefined;
  }
  const before = problems.errors.length;
  if (file.text.includes("\t")) checkTabs(file, events, problems);
  const document = checkEvents(file, events, problems);
  return problems.errors.length === before ? document : undefined;
}

function checkEvents(file: SourceFile, events: Event[], problems: Problems): YamlDocument | undefined {
  const content = events[1];
  const several = countDocuments(events) > 1;
  if (content === undefined || (!several && content.type === EVENT_ID.SCALAR && content.valueStart < 0)) {
    problems.error(
      new PlumblineError("document-empty", "The document is empty.", {
        where: file.where(0),
        next: "Write its target, place and config, delete the file, or list it in exclude:.",
      }),
    );
    return undefined;
  }
  if (several) {
    problems.error(
      new PlumblineError("several-documents", "The file holds several YAML documents.", {
        where: file.where(secondDocument(file.text, events)),
        next: "Give each document a file of its own and delete the '---' between them.",
      }),
    );
    return undefined;
  }
  if (content.type === EVENT_ID.SCALAR || content.type === EVENT_ID.ALIAS) {
    problems.error(
      new PlumblineError("document-key", "A document is a map.", {
        where: file.where(eventOffset(content)),
        next: "Write its keys: target:, scope: or at:, owns:, ignore:, config:.",
      }),
    );
    return undefined;
  }
  const check = new EventCheck(file, events, problems);
  const nodes = new Nodes(events.length);
  const open: number[] = [];
  for (let index = 1; index < events.length - 1; index++) {
    const event = events[index] as Event;
    check.event(event, index);
    const kind = nodeKind(event);
    if (kind === END) nodes.close(open.pop() ?? 0);
    else nodes.add(kind, eventOffset(event), event.type === EVENT_ID.SCALAR ? event.valueEnd : -1);
    if (kind === MAP || kind === SEQUENCE) open.push(index);
    if (check.stopped) return undefined;
  }
  nodes.events = events;
  return new YamlDocument(file.text, nodes, check.aliases);
}

/** Searches for plain text first: a pattern with `^` checks every line. */
function findMarker(text: string): RegExpExecArray | null {
  const atStart = /^(?:\s*%|[ \t]+---|\.\.\.(?=\s|$))/.exec(text);
  if (atStart !== null || !(text.includes("\n%") || text.includes("\n..."))) return atStart;
  return /^(?:%|\.\.\.(?=\s|$))/m.exec(text);
}

/** YAML readers disagree on directives and on text after the end of a document. */
function lineMarker(file: SourceFile, marker: string, offset: number): PlumblineError {
  const where = file.where(offset);
  if (marker.endsWith("%"))
    return new PlumblineError("yaml-tag", "The line is a YAML directive.", { where, next: "Delete the line that begins with '%'." });
  if (marker.endsWith("---"))
    return new PlumblineError("document-does-not-parse", "There are spaces before '---'.", { where, next: "Delete them, or the line." });
  return new PlumblineError("several-documents", "A line '...' ends the document.", { where, next: "Delete the line." });
}

function countDocuments(events: readonly Event[]): number {
  let count = 0;
  for (let index = 0; index < events.length; index++) if (events[index]?.type === EVENT_ID.DOCUMENT) count++;
  return count;
}

function secondDocument(text: string, events: readonly Event[]): number {
  const second = events.findIndex((event, index) => index > 0 && event.type === EVENT_ID.DOCUMENT);
  let offset = 0;
  for (let index = second - 1; index > 0 && offset <= 0; index--) offset = eventOffset(events[index] as Event);
  const marker = /^---/gm;
  marker.lastIndex = offset;
  return marker.exec(text)?.index ?? offset;
}

/** Converts a parser error, with a hint for known causes. */
function syntaxError(file: SourceFile, cause: unknown): PlumblineError {
  if (!(cause instanceof YAMLException)) throw cause;
  const at = cause.mark?.position ?? 0;
  const where = file.where(at);
  const reason = cause.reason;
  if (reason === "unknown escape sequence" || reason === "expected hexadecimal character")
    return new PlumblineError("backslash-in-quotes", "A backslash in double quotes begins an escape, and this is not one.", {
      where,
      next: "Use single quotes: 'corp\\alice'.",
    });
  if (reason === "name of an alias node must contain at least one character")
    return new PlumblineError("unknown-alias", "An unquoted * begins an alias.", { where, next: "Quote it: '*'." });
  if (reason.startsWith("nesting exceeded"))
    return new PlumblineError("document-does-not-parse", "The document nests deeper than 100 levels.", {
      where,
      next: "Place the document deeper with at: and write less nesting in config:.",
    });
  return new PlumblineError("document-does-not-parse", `The file is not valid YAML: ${reason}.`, {
    where,
    next: syntaxHint(file.text, at, reason),
  });
}

function syntaxHint(text: string, at: number, reason: string): string {
  if (reason === "deficient indentation") return "Indent the line deeper than its key, a closing bracket included.";
  const here = text[at] ?? "";
  if (here === "@" || here === "`" || here === "%") return `Quote values that begin with ${here}.`;
  if (text.lastIndexOf("\t", at) > text.lastIndexOf("\n", at)) return "Indent with spaces, not with tabs.";
  if (here === ":" || /:\s/.test(text.slice(at, at + 2))) return "Quote a value that holds ': '.";
  return "Correct this line or the previous line.";
}
