import type { Topic } from "../../desired/configuration/notify.js";

/** Something that changed, in words for people. */
export interface Notice {
  readonly topic: Topic;
  /** Undefined: it concerns all. */
  readonly target: string | undefined;
  /** One line. */
  readonly title: string;
  /** What it is about, one thing a line. */
  readonly lines: readonly string[];
  /** Milliseconds since 1970, when it began. */
  readonly since: number | undefined;
  /** Who did it, where that is known. */
  readonly by: string | undefined;
  readonly commit: string | undefined;
  /** The command that shows more. */
  readonly look: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What became of a commit on one target, or of loading it. */
export interface CommitNews {
  readonly commit: string;
  /** Undefined: of loading it. */
  readonly target: string | undefined;
  readonly state: "pending" | "success" | "failure";
  readonly description: string;
}

interface Change {
  /** What has states: `drift edge`. */
  readonly subject: string;
  readonly state: string;
  /** This state is what everybody expects: it is told only after another one was. */
  readonly isUsual: boolean;
}

/** A state that something is in now; told where a channel was last told of another one. */
export type NoticeState =
  | (Change & { readonly audience: "people"; readonly notice: Notice })
  | (Change & {
      readonly audience: "commit";
      readonly news: CommitNews;
      /** Whether what was told last rules this out. */
      readonly isSettledBy: (last: string) => boolean;
    });

export function noticesIn(news: readonly NoticeState[]): Notice[] {
  return news.flatMap((standing) => (standing.audience === "people" ? [standing.notice] : []));
}
