import { ApiClient, type ApiDependencies } from "./api.js";
import { IssuesApi, type IssuesDialect } from "./issues-api.js";
import type { HostSettings } from "./settings.js";
import { textAt } from "./shapes.js";

const GITEA: IssuesDialect = {
  name: "Gitea",
  // Gitea has no limit.
  maxLength: 1_000_000,
  commentsQuery: "",
  pullRequestsQuery: () => "?state=all&sort=newest&limit=50",
  account: { field: "id", refused: [403, 404] },
  isOwn: (author, account) => {
    const id = textAt(author, "id");
    // The accounts of jobs have negative ids.
    return account === undefined ? id.startsWith("-") : id === account;
  },
  isMerged: (pullRequest) => pullRequest.merged === true,
};

/** API client for Gitea and Forgejo. */
export class Gitea extends IssuesApi {
  constructor({ api, repository, token }: HostSettings, dependencies: ApiDependencies) {
    const headers = { authorization: `token ${token.reveal()}` };
    super(new ApiClient({ name: GITEA.name, api, headers, token }, dependencies), repository, GITEA);
  }
}
