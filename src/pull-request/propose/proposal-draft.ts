import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDocumentText } from "../../desired/files.js";
import type { KindRegistry } from "../../desired/kind.js";
import { isMap } from "../../import/yaml.js";
import type { DriftItem } from "../../outcome/outcome.js";
import type { Candidate, Refused } from "./candidates.js";
import { documentsOf } from "./documents.js";
import { Editor } from "./editor.js";
import { NotProposable, refuse } from "./refusal.js";
import { changedText } from "./splice.js";
import type { Survey } from "./survey.js";

/** Differences that the edited files include, and those refused, with the reasons. */
export interface ProposalDraft {
  readonly accepted: readonly (Candidate & { readonly file: string })[];
  readonly refused: readonly Refused[];
}

/** Files that a proposal may edit. Constant for all rounds. */
export interface DraftPlace {
  /** Folder of the configuration in the temporary working tree. */
  readonly folder: string;
  /** Files by target, relative to `folder`. */
  readonly files: ReadonlyMap<string, readonly string[]>;
  readonly kinds: KindRegistry;
  /** Returns the reason if no change in this file may be proposed. */
  closed(survey: Survey, file: string): string | undefined;
}

/**
 * Writes the live state of `candidates` into the files of `place`, if possible. Changes of order come last, after all entries exist.
 * Restore the files before the next call.
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
        accepted.push({ ...candidate, file: accept(candidate.item, editor) });
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

/** Writes the live state of the difference into its file, and returns the file. */
function accept({ change, isCauseUnknown }: DriftItem, editor: Editor): string {
  if (isCauseUnknown === true) refuse("the ledger cannot be read, so the difference may come from a commit that was not applied");
  return editor.accept(change);
}

/** Returns why the file of the node may not change. If the file is unknown, returns any reason of the target's files. */
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
