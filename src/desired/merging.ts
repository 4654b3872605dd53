import type { PlumblineError, Where } from "../core/errors.js";
import type { Shape } from "../core/tree/shape.js";
import type { TargetDraft } from "./body/context.js";
import type { DesiredNode } from "./model.js";
import type { Problems } from "./problems.js";
import type { SourceMap } from "./source-map.js";

/** The target whose documents become one tree, and where what they say stands. */
export class Merging {
  readonly draft: TargetDraft;
  readonly problems: Problems;
  readonly #sources: SourceMap;

  constructor(draft: TargetDraft, sources: SourceMap, problems: Problems) {
    this.draft = draft;
    this.problems = problems;
    this.#sources = sources;
  }

  where(origin: number): Where {
    return this.#sources.locate(origin) ?? { target: this.draft.target };
  }

  /** `, at FILE:LINE` for the end of a sentence; nothing where no file declares `node`. */
  elsewhere({ origin }: DesiredNode, word = "at"): string {
    const location = this.#sources.locate(origin);
    return location === undefined ? "" : `, ${word} ${location.file}:${location.line}`;
  }

  error(error: PlumblineError): void {
    this.problems.error(error);
  }
}

/** What tells a node from its siblings. */
export function keyOf({ tag, name }: DesiredNode): string {
  return name === undefined ? tag : `${tag} ${name}`;
}

export function isLeaf({ children, text }: DesiredNode, shape: Shape): boolean {
  return shape.kind === "leaf" || (children.length === 0 && text !== "");
}

/** Whether a node lists members, all of them or those that it manages. */
export function listsMembers({ handling, children }: DesiredNode): boolean {
  return handling?.exclude !== undefined || children[0]?.tag === "member";
}
