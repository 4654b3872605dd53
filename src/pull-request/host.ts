/** A comment that our account wrote. */
export interface Comment {
  readonly id: string;
  readonly body: string;
  readonly url: string;
}

export interface PullRequest {
  readonly number: string;
  readonly url: string;
  readonly state: "open" | "merged" | "closed";
}

export interface Proposal {
  /** Branch that holds the change, and branch that it is to be merged into. */
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

/** What became of a commit, beside it. One a commit and context: a later one takes its place. */
export interface CommitStatus {
  readonly context: string;
  readonly state: "pending" | "success" | "failure";
  /** One line; hosts cut it. */
  readonly description: string;
}

/** What we ask of a place where code is reviewed. Errors are `code-host-…`. */
export interface CodeHost {
  /** Characters that a comment or a description may have. */
  readonly maxLength: number;
  /** Comments of the pull request that our own account wrote, all pages, oldest first. */
  comments(pullRequest: string): Promise<readonly Comment[]>;
  createComment(pullRequest: string, body: string): Promise<Comment>;
  updateComment(pullRequest: string, id: string, body: string): Promise<Comment>;
  deleteComment(pullRequest: string, id: string): Promise<void>;
  /** Pull requests from a branch of this repository, in any state, newest first. */
  pullRequestsFrom(branch: string): Promise<readonly PullRequest[]>;
  openPullRequest(proposal: Proposal): Promise<PullRequest>;
  /** The branch that changes go to when nothing else is said. */
  defaultBranch(): Promise<string>;
  setStatus(commit: string, status: CommitStatus): Promise<void>;
}
