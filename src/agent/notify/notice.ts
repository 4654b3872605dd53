import type { Topic } from "../../desired/configuration/notify.js";

/** Notification about a change. */
export interface Notice {
  readonly topic: Topic;
  /** Undefined if the notice concerns all targets. */
  readonly target: string | undefined;
  /** One line. */
  readonly title: string;
  /** Details, one per line. */
  readonly lines: readonly string[];
  /** Start in milliseconds since 1970. */
  readonly since: number | undefined;
  /** Author of the change, if known. */
  readonly by: string | undefined;
  readonly commit: string | undefined;
  /** Command that shows details. */
  readonly look: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Result of a commit on one target, or of loading the commit. */
export interface CommitNews {
  readonly commit: string;
  /** Undefined for the result of loading. */
  readonly target: string | undefined;
  readonly state: "pending" | "success" | "failure";
  readonly description: string;
}

interface Change {
  /** Key of the subject, such as `drift edge`. */
  readonly subject: string;
  readonly state: string;
  /** Normal state. It is reported only after another state. */
  readonly isUsual: boolean;
}

/** Current state of a subject. A channel reports it if its last report was a different state. */
export type NoticeState =
  | (Change & { readonly audience: "people"; readonly notice: Notice })
  | (Change & {
      readonly audience: "commit";
      readonly news: CommitNews;
      /** Returns whether the last report makes this one unnecessary. */
      readonly isSettledBy: (last: string) => boolean;
    });

export function noticesIn(news: readonly NoticeState[]): Notice[] {
  return news.flatMap((noticeState) => (noticeState.audience === "people" ? [noticeState.notice] : []));
}
