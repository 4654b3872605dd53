import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDocumentText } from "../../desired/files.js";
import type { KindRegistry } from "../../desired/kind.js";
import { isMap } from "../../import/yaml.js";
import type { Candidate, Refused } from "./candidates.js";
import { documentsOf } from "./documents.js";
import { Editor } from "./editor.js";
import { NotProposable } from "./refusal.js";
import { changedText } from "./splice.js";
import type { Survey } from "./survey.js";

/** Files of a desired state, with what a proposal makes of them. */
export interface ProposalDraft {
  readonly accepted: readonly (Candidate & { readonly file: string })[];
  readonly refused: readonly Refused[];
}

/** What is fixed while a proposal is made. */
export interface DraftPlace {
  /** The configuration's folder in a working tree of our own. */
  readonly folder: string;
  /** Files by target, relative to it. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  readonly kinds: KindRegistry;
  /** Why a change in this file stays out, where the whole file is out of bounds. */
  closed(survey: Survey, file: string): string | undefined;
}

/**
 * Edits the documents of `place` so that they say what is live, as far as they can. Orders come last, when all entries are
 * there. Files are written; call it again with fewer candidates on fresh ones.
 */
export function draft(candidates: readonly Candidate[], place: DraftPlace): ProposalDraft {
  const accepted: (Candidate & { file: string })[] = [];
  const refused: Refused[] = [];
  for (const [survey, own] of bySurvey(candidates)) {
    const { context, live } = survey;
    const kind = place.kinds.get(context.configuration.kind);
    if (kind === undefined) continue;
    const files = (place.files.get(context.name) ?? []).filter((file) => place.closed(survey, file) === undefined);
    const documents = documentsOf(place.folder, files, kind);
    const closed = (place.files.get(context.name) ?? []).length > files.length;
    const editor = new Editor(documents, live, kind);
    for (const candidate of [
      ...own.filter(({ item }) => item.change.kind !== "order"),
      ...own.filter(({ item }) => item.change.kind === "order"),
    ]) {
      try {
        accepted.push({ ...candidate, file: editor.accept(candidate.item.change) });
      } catch (error) {
        if (!(error instanceof NotProposable)) throw error;
        refused.push({ ...candidate, why: closed ? (closedReason(candidate, place) ?? error.message) : error.message });
      }
    }
    editor.finish();
    for (const document of documents) {
      if (!editor.touched.has(document.file)) continue;
      const path = join(place.folder, document.file);
      if (isMap(document.config) && document.config.items.length === 0 && !document.document.has("owns")) rmSync(path);
      else writeFileSync(path, changedText(readDocumentText(path), document));
    }
  }
  return { accepted, refused };
}

/** The reason of the file that declares the node, where that file is out of bounds. */
function closedReason({ survey, item }: Candidate, place: DraftPlace): string | undefined {
  const { change } = item;
  const origin = "after" in change && "origin" in change.after ? change.after.origin : -1;
  const file = survey.context.desired.sources.locate(origin)?.file;
  if (file !== undefined) return place.closed(survey, file);
  const all = new Set((place.files.get(survey.context.name) ?? []).map((one) => place.closed(survey, one)));
  all.delete(undefined);
  return [...all][0];
}

function bySurvey(candidates: readonly Candidate[]): Map<Survey, Candidate[]> {
  const groups = new Map<Survey, Candidate[]>();
  for (const candidate of candidates) {
    const group = groups.get(candidate.survey);
    if (group === undefined) groups.set(candidate.survey, [candidate]);
    else group.push(candidate);
  }
  return groups;
}
