import { PlumblineError } from "../core/errors.js";
import { ApiClient, type ApiDependencies } from "./api.js";
import type { CodeHost, Comment, CommitStatus, Proposal, PullRequest } from "./host.js";
import type { HostSettings } from "./settings.js";
import { objectAt, objectOf, textAt } from "./shapes.js";

const NAME = "GitLab";

/** Client for version 4 of the GitLab API: merge requests and their notes. */
export class GitLab implements CodeHost {
  readonly maxLength = 1_000_000;
  readonly #api: ApiClient;
  readonly #path: string;

  constructor({ api, repository, token }: HostSettings, dependencies: ApiDependencies) {
    this.#api = new ApiClient({ name: NAME, api, headers: { "private-token": token.reveal() }, token }, dependencies);
    this.#path = `/projects/${encodeURIComponent(repository)}`;
  }

  async comments(pullRequest: string): Promise<readonly Comment[]> {
    const id = textAt(objectOf(NAME, await this.#api.send("GET", "/user")), "id");
    const found = await this.#api.list(`${this.#notes(pullRequest)}?per_page=100&sort=asc&order_by=created_at`);
    return found
      .map((item) => objectOf(NAME, item))
      .filter((item) => item.system !== true && textAt(objectAt(item, "author"), "id") === id)
      .map(commentOf);
  }

  async createComment(pullRequest: string, body: string): Promise<Comment> {
    return commentOf(objectOf(NAME, await this.#api.send("POST", this.#notes(pullRequest), { body })));
  }

  async updateComment(pullRequest: string, id: string, body: string): Promise<Comment> {
    return commentOf(objectOf(NAME, await this.#api.send("PUT", `${this.#notes(pullRequest)}/${id}`, { body })));
  }

  async deleteComment(pullRequest: string, id: string): Promise<void> {
    await this.#api.send("DELETE", `${this.#notes(pullRequest)}/${id}`);
  }

  async pullRequestsFrom(branch: string): Promise<readonly PullRequest[]> {
    const query = `source_branch=${encodeURIComponent(branch)}&state=all&order_by=created_at&sort=desc&per_page=100`;
    const found = await this.#api.list(`${this.#path}/merge_requests?${query}`);
    return (
      found
        .map((item) => objectOf(NAME, item))
        // Anyone can open a merge request from a fork, with any name of the branch.
        .filter(
          (item) => textAt(item, "source_branch") === branch && textAt(item, "source_project_id") === textAt(item, "target_project_id"),
        )
        .map(pullRequestOf)
    );
  }

  async openPullRequest({ branch, base, title, body }: Proposal): Promise<PullRequest> {
    const request = { source_branch: branch, target_branch: base, title, description: body, remove_source_branch: true };
    return pullRequestOf(objectOf(NAME, await this.#api.send("POST", `${this.#path}/merge_requests`, request)));
  }

  async updatePullRequest(number: string, { title, body }: Pick<Proposal, "title" | "body">): Promise<PullRequest> {
    return await this.#change(number, { title, description: body });
  }

  async closePullRequest(number: string, body: string): Promise<PullRequest> {
    return await this.#change(number, { state_event: "close", description: body });
  }

  async #change(number: string, change: Readonly<Record<string, string>>): Promise<PullRequest> {
    return pullRequestOf(objectOf(NAME, await this.#api.send("PUT", `${this.#path}/merge_requests/${number}`, change)));
  }

  async defaultBranch(): Promise<string> {
    return textAt(objectOf(NAME, await this.#api.send("GET", this.#path)), "default_branch");
  }

  async setStatus(commit: string, { context, state, description }: CommitStatus): Promise<void> {
    const status = { name: context, state: state === "failure" ? "failed" : state, description: description.slice(0, 255) };
    try {
      await this.#api.send("POST", `${this.#path}/statuses/${commit}`, status);
    } catch (error) {
      // The commit already has this state, which GitLab reports as an error.
      if (!(error instanceof PlumblineError && error.message.includes("Cannot transition status"))) throw error;
    }
  }

  #notes(pullRequest: string): string {
    return `${this.#path}/merge_requests/${pullRequest}/notes`;
  }
}

/** The API returns no URL for a note. */
function commentOf(item: Readonly<Record<string, unknown>>): Comment {
  return { id: textAt(item, "id"), body: textAt(item, "body"), url: "" };
}

function pullRequestOf(item: Readonly<Record<string, unknown>>): PullRequest {
  const state = textAt(item, "state");
  return {
    number: textAt(item, "iid"),
    url: textAt(item, "web_url"),
    state: state === "merged" ? "merged" : state === "opened" ? "open" : "closed",
    body: textAt(item, "description"),
  };
}
