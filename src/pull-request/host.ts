/** A comment written by our account. */
export interface Comment {
  readonly id: string;
  readonly body: string;
  readonly url: string;
}

export interface PullRequest {
  readonly number: string;
  readonly url: string;
  readonly state: "open" | "merged" | "closed";
  readonly body: string;
}

export interface Proposal {
  /** Branch with the change, to be merged into `base`. */
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

/** Status shown next to a commit. A later status with the same context replaces it. */
export interface CommitStatus {
  readonly context: string;
  readonly state: "pending" | "success" | "failure";
  /** One line, cut to the length that the host accepts. */
  readonly description: string;
}

/** Host for code reviews. Methods throw `code-host-…`. */
export interface CodeHost {
  /** Maximum number of characters of a comment or a description. */
  readonly maxLength: number;
  /** Returns all comments of our account on the pull request, oldest first. */
  comments(pullRequest: string): Promise<readonly Comment[]>;
  createComment(pullRequest: string, body: string): Promise<Comment>;
  updateComment(pullRequest: string, id: string, body: string): Promise<Comment>;
  deleteComment(pullRequest: string, id: string): Promise<void>;
  /** Returns the pull requests from a branch of this repository, not of a fork, in any state, newest first. */
  pullRequestsFrom(branch: string): Promise<readonly PullRequest[]>;
  openPullRequest(proposal: Proposal): Promise<PullRequest>;
  updatePullRequest(number: string, text: Pick<Proposal, "title" | "body">): Promise<PullRequest>;
  /** Closes a pull request without a merge, and replaces its description. */
  closePullRequest(number: string, body: string): Promise<PullRequest>;
  defaultBranch(): Promise<string>;
  setStatus(commit: string, status: CommitStatus): Promise<void>;
}
