import { PlumblineError } from "../core/errors.js";
import type { Path } from "../core/tree/path.js";
import { parsePath } from "../core/tree/xpath/xpath.js";
import type { Artifacts, LogWatch, Probe } from "./checks.js";
import type { Fleet } from "./fleet.js";
import { HeaderReader } from "./header-reader.js";
import { type Chosen, readChosen } from "./header-targets.js";
import { readIgnores } from "./ignores.js";
import type { DesiredKind, KindRegistry } from "./kind.js";
import type { Problems } from "./problems.js";
import { type RecordedApplications, readApplications } from "./read-applications.js";
import { type HeaderAssertion, readAssertions } from "./read-assertions.js";
import { readArtifacts, readProbes, readWatches } from "./read-checks.js";
import type { SourceFile } from "./source-file.js";
import { suggest } from "./suggest.js";
import type { YamlDocument } from "./yaml/document.js";

export const DOCUMENT_KEYS = [
  "target",
  "targets",
  "scope",
  "at",
  "unknown",
  "owns",
  "ignore",
  "watch",
  "probe",
  "artifacts",
  "applications",
  "assert",
  "config",
] as const;

/** One line of `owns:`. In an exclusive list, undeclared entries are deleted. In a shared one, someone else manages them. */
interface OwnsLine {
  readonly path: Path;
  readonly ownership: "exclusive" | "shared";
  readonly allowEmpty: boolean;
  /** YAML node of the key. */
  readonly node: number;
}

export interface HeaderIgnore {
  readonly path: string;
  readonly owner: string;
  readonly reason: string;
  readonly until: string | undefined;
  readonly node: number;
}

/** All parts of a document except its declarations. */
export interface Header extends Pick<Chosen, "targets" | "breadth"> {
  readonly kind: DesiredKind;
  readonly place: Path;
  /** `unknown: allow`. */
  readonly allowsUnknown: boolean;
  readonly owns: readonly OwnsLine[];
  readonly ignores: readonly HeaderIgnore[];
  readonly watches: readonly LogWatch[];
  readonly probes: readonly Probe[];
  readonly artifacts: Artifacts | undefined;
  readonly applications: RecordedApplications | undefined;
  readonly assertions: readonly HeaderAssertion[];
  /** YAML node of the map under `config:`. Undefined in a document that only ignores or checks. */
  readonly config: number | undefined;
}

/** Reads the keys of a document other than `config:`. Returns undefined after an error that prevents building it. */
export function readHeader(file: SourceFile, doc: YamlDocument, fleet: Fleet, kinds: KindRegistry, problems: Problems): Header | undefined {
  const reader = new HeaderReader(file, doc, problems);
  if (doc.kind(doc.root) !== "map")
    return reader.error(
      new PlumblineError("document-key", "A document is a map.", {
        where: reader.where(doc.root),
        next: `Write its keys: ${DOCUMENT_KEYS.join(", ")}.`,
      }),
    );
  const keys = reader.map(doc.root, DOCUMENT_KEYS);
  const chosen = readChosen(reader, keys, fleet);
  const kind = chosen === undefined ? undefined : kinds.get(chosen.kind);
  if (chosen === undefined || kind === undefined) return undefined;
  const place = readPlace(reader, keys, kind);
  const config = readConfig(reader, keys);
  if (place === undefined) return undefined;
  return {
    targets: chosen.targets,
    breadth: chosen.breadth,
    kind,
    place,
    allowsUnknown: readUnknown(reader, keys.get("unknown"), kind),
    owns: readOwns(reader, keys.get("owns"), place),
    ignores: readIgnores(reader, keys.get("ignore"), place),
    watches: readWatches(reader, keys.get("watch"), kind),
    probes: readProbes(reader, keys.get("probe"), kind),
    artifacts: readArtifacts(reader, keys.get("artifacts")),
    applications: readApplications(reader, keys.get("applications"), kind),
    assertions: readAssertions(reader, keys.get("assert"), kind, place, fleet.targets),
    config,
  };
}

type Keys = ReturnType<HeaderReader["map"]>;

function readPlace(reader: HeaderReader, keys: Keys, kind: DesiredKind): Path | undefined {
  const scope = keys.get("scope");
  const at = keys.get("at");
  if ((scope === undefined) === (at === undefined))
    return reader.error(
      new PlumblineError(
        "document-key",
        scope === undefined ? "The document does not name its place." : "scope: and at: exclude each other.",
        {
          where: reader.where(scope?.key ?? reader.doc.root),
          next: `Write scope: (${kind.scopeWords.join(", ")}), or at: with the XPath of the place.`,
        },
      ),
    );
  if (scope !== undefined) {
    const word = reader.text(scope, "scope");
    if (word === undefined) return undefined;
    const place = kind.place(word);
    if (place !== undefined) return place;
    return reader.error(
      new PlumblineError("unknown-scope", `A target of kind ${kind.kind} has no scope "${word}".`, {
        where: reader.where(scope.value),
        next: suggest(word, kind.scopeWords),
      }),
    );
  }
  const text = at === undefined ? undefined : reader.text(at, "at");
  if (at === undefined || text === undefined) return undefined;
  const place = reader.xpath(at.value, () => parsePath(text));
  const root = place?.steps()[0];
  if (place === undefined) return undefined;
  if (isReadOnly(place, kind))
    return reader.error(
      new PlumblineError("unknown-scope", `${text} is written only by the platform.`, {
        where: reader.where(at.value),
        next: "Declare its source instead. A reference, ${TARGET:PATH}, can use it.",
      }),
    );
  if (text.startsWith("/") && root?.tag === kind.rootTag && root.name === undefined) return place;
  return reader.error(
    new PlumblineError("unknown-scope", `at: must be an absolute path below /${kind.rootTag}.`, {
      where: reader.where(at.value),
      next: `Begin it with /${kind.rootTag}.`,
    }),
  );
}

function isReadOnly(place: Path, { shape: root }: DesiredKind): boolean {
  let shape = root;
  return place
    .steps()
    .slice(1)
    .some(({ tag }) => {
      shape = shape.child(tag);
      return shape.readOnly === true;
    });
}

/** Reads `unknown: allow`. For strict kinds all fields are known, so unknown ones could not be written. */
function readUnknown(reader: HeaderReader, pair: { readonly key: number; readonly value: number } | undefined, kind: DesiredKind): boolean {
  if (pair === undefined) return false;
  if (kind.strict !== true && reader.doc.kind(pair.value) === "scalar" && reader.doc.text(pair.value) === "allow") return true;
  const message = kind.strict === true ? `All fields of a target of kind ${kind.kind} are known.` : "unknown: accepts only allow.";
  reader.error(
    new PlumblineError("document-key", message, { where: reader.where(pair.value), next: "Write unknown: allow, or delete the line." }),
  );
  return false;
}

/** A document with one of these keys needs no `config:`. */
const WITHOUT_CONFIG = ["ignore", "watch", "probe", "artifacts", "applications", "assert"];

function readConfig(reader: HeaderReader, keys: Keys): number | undefined {
  const { doc } = reader;
  const pair = keys.get("config");
  if (pair === undefined && WITHOUT_CONFIG.some((key) => keys.has(key))) return undefined;
  if (pair !== undefined && doc.kind(pair.value) === "map") return pair.value;
  const empty = pair === undefined || doc.isLeftOut(pair.value) || (doc.isPlain(pair.value) && /^(?:~|null)$/i.test(doc.text(pair.value)));
  return reader.error(
    new PlumblineError(
      "null-config",
      pair === undefined ? "The document has no config:." : empty ? "config: is empty." : "config: must be a map.",
      {
        where: reader.where(pair?.key ?? doc.root),
        next: "Write the content of the place. If everything below it is commented out, delete the file or list it in exclude:.",
      },
    ),
  );
}

function readOwns(reader: HeaderReader, pair: { readonly key: number; readonly value: number } | undefined, place: Path): OwnsLine[] {
  const { doc } = reader;
  if (pair === undefined) return [];
  if (doc.kind(pair.value) !== "map") {
    reader.error(
      new PlumblineError("document-key", "owns: takes a map of paths.", {
        where: reader.where(pair.key),
        next: "Write owns: { path/of/list: exclusive }.",
      }),
    );
    return [];
  }
  const rows: OwnsLine[] = [];
  for (let key = doc.first(pair.value); !doc.ends(key); ) {
    const value = doc.after(key);
    const text = doc.text(key);
    const at = key;
    const path = reader.xpath(at, () => ownedPath(text, place));
    const line = readOwnership(reader, at, value);
    if (path !== undefined && line !== undefined) rows.push({ path, ...line, node: at });
    key = doc.after(value);
  }
  return rows;
}

/** Returns the path that a key of `owns:` names, from the place of its document. `.` is the place itself. */
export function ownedPath(key: string, place: Path): Path {
  return key === "." ? place : parsePath(key.startsWith("/") ? key.slice(1) : key, place);
}

/** Reads `exclusive`, `shared` or `{ exclusive: true, allowEmpty: true }`. */
function readOwnership(reader: HeaderReader, key: number, value: number): Pick<OwnsLine, "ownership" | "allowEmpty"> | undefined {
  const { doc } = reader;
  const word = doc.kind(value) === "scalar" ? doc.text(value) : "";
  if (word === "exclusive" || word === "shared") return { ownership: word, allowEmpty: false };
  if (doc.kind(value) === "map") {
    const keys = reader.map(value, ["exclusive", "allowEmpty"]);
    const exclusive = keys.get("exclusive");
    const allowEmpty = keys.get("allowEmpty");
    const yes = (pair: { readonly value: number } | undefined, byDefault: string): string =>
      pair === undefined ? byDefault : doc.kind(pair.value) === "scalar" ? doc.text(pair.value) : "";
    if (yes(exclusive, "") === "true" && /^(?:true|false)$/.test(yes(allowEmpty, "false")))
      return { ownership: "exclusive", allowEmpty: yes(allowEmpty, "false") === "true" };
  }
  return reader.error(
    new PlumblineError("document-key", `owns: has an unknown value for "${doc.text(key)}".`, {
      where: reader.where(value),
      next: "Write exclusive, shared, or { exclusive: true, allowEmpty: true }.",
    }),
  );
}
