import { ApiClient, type ApiDependencies } from "./api.js";
import type { CodeHost, Comment, CommitStatus, Proposal, PullRequest } from "./host.js";
import type { HostSettings } from "./settings.js";
import { objectAt, objectOf, textAt } from "./shapes.js";

const NAME = "Gitea";

/** The API of Gitea and Forgejo. */
export class Gitea implements CodeHost {
  /** The host has no bound of its own. */
  readonly maxLength = 1_000_000;
  readonly #api: ApiClient;
  readonly #path: string;

  constructor({ api, repository, token }: HostSettings, dependencies: ApiDependencies) {
    this.#api = new ApiClient({ name: NAME, api, headers: { authorization: `token ${token.reveal()}` }, token }, dependencies);
    this.#path = `/repos/${repository}`;
  }

  async comments(pullRequest: string): Promise<readonly Comment[]> {
    const id = await this.#userId();
    const found = await this.#api.list(`${this.#path}/issues/${pullRequest}/comments`);
    return found
      .map((item) => objectOf(NAME, item))
      .filter((item) => isOurs(textAt(objectAt(item, "user"), "id"), id))
      .map(commentOf);
  }

  async createComment(pullRequest: string, body: string): Promise<Comment> {
    return commentOf(objectOf(NAME, await this.#api.send("POST", `${this.#path}/issues/${pullRequest}/comments`, { body })));
  }

  async updateComment(_pullRequest: string, id: string, body: string): Promise<Comment> {
    return commentOf(objectOf(NAME, await this.#api.send("PATCH", `${this.#path}/issues/comments/${id}`, { body })));
  }

  async deleteComment(_pullRequest: string, id: string): Promise<void> {
    await this.#api.send("DELETE", `${this.#path}/issues/comments/${id}`);
  }

  async pullRequestsFrom(branch: string): Promise<readonly PullRequest[]> {
    const found = await this.#api.list(`${this.#path}/pulls?state=all&sort=newest&limit=50`);
    return found
      .map((item) => objectOf(NAME, item))
      .filter((item) => textAt(objectAt(item, "head"), "ref") === branch)
      .map(pullRequestOf);
  }

  async openPullRequest({ branch, base, title, body }: Proposal): Promise<PullRequest> {
    return pullRequestOf(objectOf(NAME, await this.#api.send("POST", `${this.#path}/pulls`, { head: branch, base, title, body })));
  }

  async defaultBranch(): Promise<string> {
    return textAt(objectOf(NAME, await this.#api.send("GET", this.#path)), "default_branch");
  }

  async setStatus(commit: string, { context, state, description }: CommitStatus): Promise<void> {
    await this.#api.send("POST", `${this.#path}/statuses/${commit}`, { context, state, description: description.slice(0, 140) });
  }

  /** Who we are; undefined for a job's token, which may not ask. */
  async #userId(): Promise<string | undefined> {
    const user = await this.#api.ask("/user", [403, 404]);
    return user === undefined ? undefined : textAt(objectOf(NAME, user), "id");
  }
}

/** The accounts that jobs act as have ids below zero. */
function isOurs(author: string, id: string | undefined): boolean {
  return id === undefined ? author.startsWith("-") : author === id;
}

function commentOf(item: Readonly<Record<string, unknown>>): Comment {
  return { id: textAt(item, "id"), body: textAt(item, "body"), url: textAt(item, "html_url") };
}

function pullRequestOf(item: Readonly<Record<string, unknown>>): PullRequest {
  return {
    number: textAt(item, "number"),
    url: textAt(item, "html_url"),
    state: item.merged === true ? "merged" : textAt(item, "state") === "open" ? "open" : "closed",
  };
}
