import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HostKind } from "../../src/pull-request/host-kinds.js";

export interface Recorded {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

interface StoredComment {
  readonly id: number;
  readonly pull: string;
  body: string;
  readonly author: Author;
}

interface StoredPullRequest {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  title: string;
  body: string;
  /** From a repository of another user. */
  readonly fork?: boolean;
  state: "open" | "merged" | "closed";
}

interface Author {
  readonly id: number;
  readonly login: string;
  readonly bot: boolean;
}

/** A reply instead of the usual one; `drop` does the work and closes the connection without a word. */
export type Fault = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown } | "drop";

export const US: Author = { id: 7, login: "plumbline-bot", bot: true };
const SOMEBODY: Author = { id: 9, login: "mallory", bot: false };

const PAGE = 3;

/** A code host for tests: one repository with the API of GitHub, GitLab or Gitea, which records requests. */
export class RecordingServer {
  readonly kind: HostKind;
  readonly requests: Recorded[] = [];
  readonly comments: StoredComment[] = [];
  readonly pullRequests: StoredPullRequest[] = [];
  /** Taken one by one by the requests that they match. */
  readonly faults: { readonly method: string; readonly fault: Fault }[] = [];
  token = "t0ken";
  /** GitHub's and Gitea's tokens of a job may not ask who they are. */
  maySayWho = true;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #next = 100;

  private constructor(kind: HostKind) {
    this.kind = kind;
  }

  static async start(kind: HostKind): Promise<RecordingServer> {
    const server = new RecordingServer(kind);
    await new Promise<void>((ready) => server.#server.listen(0, "127.0.0.1", ready));
    return server;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get api(): string {
    return `${this.origin}${{ github: "/api/v3", gitlab: "/api/v4", gitea: "/api/v1" }[this.kind]}`;
  }

  get repository(): string {
    return this.kind === "gitlab" ? "net/ops/firewalls" : "netops/firewalls";
  }

  /** Environment of a job. */
  get environment(): Record<string, string> {
    return {
      PLUMBLINE_HOST: this.kind,
      PLUMBLINE_API_URL: this.api,
      PLUMBLINE_REPOSITORY: this.repository,
      PLUMBLINE_PULL_REQUEST: "42",
      PLUMBLINE_TOKEN: this.token,
    };
  }

  addComment(body: string, author: Author = SOMEBODY): void {
    this.comments.push({ id: this.#next++, pull: "42", body, author });
  }

  sent(method: string): Recorded[] {
    return this.requests.filter((request) => request.method === method);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    const { method = "GET", url = "/", headers } = request;
    this.requests.push({ method, url, headers, body: text === "" ? undefined : JSON.parse(text) });
    const at = this.faults.findIndex((fault) => fault.method === method);
    const fault = at === -1 ? undefined : this.faults.splice(at, 1)[0]?.fault;
    if (fault !== undefined && fault !== "drop") return reply(response, fault.status, fault.body ?? { message: "no" }, fault.headers);
    const answer = this.#route(method, new URL(url, this.origin), headers, text === "" ? {} : JSON.parse(text));
    if (fault === "drop") response.destroy();
    else reply(response, answer.status, answer.body, answer.headers);
  }

  #route(method: string, url: URL, headers: IncomingMessage["headers"], body: Record<string, string>): Answer {
    if (!this.#isAuthorized(headers)) return { status: 401, body: { message: `Bad credentials ${headers.authorization ?? ""}` } };
    const base = new URL(this.api).pathname;
    const path = url.pathname.startsWith(base) ? url.pathname.slice(base.length) : "?";
    if (path === "/user")
      return this.maySayWho
        ? { status: 200, body: { id: US.id, login: US.login } }
        : { status: 403, body: { message: "Resource not accessible by integration" } };
    const repository = this.kind === "gitlab" ? `/projects/${encodeURIComponent(this.repository)}` : `/repos/${this.repository}`;
    if (path === repository) return { status: 200, body: { default_branch: "main" } };
    const rest = path.startsWith(`${repository}/`) ? path.slice(repository.length + 1) : "?";
    return (
      this.#comments(method, rest, url, body) ?? this.#pulls(method, rest, url, body) ?? { status: 404, body: { message: "Not Found" } }
    );
  }

  #isAuthorized(headers: IncomingMessage["headers"]): boolean {
    if (this.kind === "gitlab") return headers["private-token"] === this.token;
    return headers.authorization === `${this.kind === "github" ? "Bearer" : "token"} ${this.token}`;
  }

  #comments(method: string, rest: string, url: URL, body: Record<string, string>): Answer | undefined {
    const gitlab = this.kind === "gitlab";
    const list = (gitlab ? /^merge_requests\/(\d+)\/notes$/ : /^issues\/(\d+)\/comments$/).exec(rest)?.[1];
    // Request 42 always exists.
    if (list !== undefined && list !== "42" && !this.pullRequests.some(({ number }) => String(number) === list)) return undefined;
    if (list !== undefined && method === "GET")
      return this.#page(
        url,
        this.comments.filter(({ pull }) => pull === list).map((comment) => this.#comment(comment)),
      );
    if (list !== undefined && method === "POST") {
      if ((body.body?.length ?? 0) > 65_536) return { status: 422, body: { message: "Validation Failed", errors: ["body is too long"] } };
      const comment = { id: this.#next++, pull: list, body: body.body ?? "", author: US };
      this.comments.push(comment);
      return { status: 201, body: this.#comment(comment) };
    }
    const id = (gitlab ? /^merge_requests\/\d+\/notes\/(\d+)$/ : /^issues\/comments\/(\d+)$/).exec(rest)?.[1];
    const known = this.comments.find((comment) => String(comment.id) === id);
    if (known === undefined) return undefined;
    if (method === (gitlab ? "PUT" : "PATCH")) {
      known.body = body.body ?? "";
      return { status: 200, body: this.#comment(known) };
    }
    if (method !== "DELETE") return undefined;
    this.comments.splice(this.comments.indexOf(known), 1);
    return { status: 204, body: undefined };
  }

  #pulls(method: string, rest: string, url: URL, body: Record<string, string>): Answer | undefined {
    const gitlab = this.kind === "gitlab";
    const lists = gitlab ? "merge_requests" : "pulls";
    const known = this.pullRequests.find(({ number }) => rest === `${lists}/${number}`);
    if (known !== undefined && method === (gitlab ? "PUT" : "PATCH")) {
      known.title = body.title ?? known.title;
      known.body = (gitlab ? body.description : body.body) ?? known.body;
      if (gitlab ? body.state_event === "close" : body.state === "closed") known.state = "closed";
      return { status: 200, body: this.#pull(known) };
    }
    if (rest !== lists) return undefined;
    if (method === "GET")
      return this.#page(
        url,
        [...this.pullRequests].reverse().map((pull) => this.#pull(pull)),
      );
    const branch = (gitlab ? body.source_branch : body.head) ?? "";
    if (this.pullRequests.some((pull) => pull.branch === branch && pull.state === "open"))
      return { status: 409, body: { message: "exists" } };
    const pull: StoredPullRequest = {
      number: this.#next++,
      branch,
      base: (gitlab ? body.target_branch : body.base) ?? "",
      title: body.title ?? "",
      body: (gitlab ? body.description : body.body) ?? "",
      state: "open",
    };
    this.pullRequests.push(pull);
    return { status: 201, body: this.#pull(pull) };
  }

  #comment({ id, body, author }: StoredComment): object {
    if (this.kind === "gitlab") return { id, body, system: false, author: { id: author.id, username: author.login } };
    const user =
      this.kind === "github"
        ? { id: author.id, login: author.login, type: author.bot ? "Bot" : "User" }
        : { id: author.id, login: author.login };
    return { id, body, user, html_url: `${this.origin}/comment/${id}` };
  }

  #pull({ number, branch, base, title, body, state, fork }: StoredPullRequest): object {
    const [source, target] = [{ id: fork === true ? 2 : 1 }, { id: 1 }];
    const url = `${this.origin}/pull/${number}`;
    if (this.kind === "gitlab")
      return {
        iid: number,
        web_url: url,
        source_branch: branch,
        source_project_id: source.id,
        target_branch: base,
        target_project_id: target.id,
        title,
        description: body,
        state: state === "open" ? "opened" : state,
      };
    const merged =
      this.kind === "github" ? { merged_at: state === "merged" ? "2026-11-21T00:00:00Z" : null } : { merged: state === "merged" };
    return {
      number,
      html_url: url,
      title,
      body,
      head: { ref: branch, repo: source },
      base: { ref: base, repo: target },
      state: state === "open" ? "open" : "closed",
      ...merged,
    };
  }

  /** GitHub and Gitea lead on by `Link`, GitLab by a number. */
  #page(url: URL, items: readonly object[]): Answer {
    const page = Number(url.searchParams.get("page") ?? "1");
    const body = items.slice((page - 1) * PAGE, page * PAGE);
    if (page * PAGE >= items.length) return { status: 200, body, headers: this.kind === "gitlab" ? { "x-next-page": "" } : {} };
    if (this.kind === "gitlab") return { status: 200, body, headers: { "x-next-page": String(page + 1) } };
    const next = new URL(url);
    next.searchParams.set("page", String(page + 1));
    return { status: 200, body, headers: { link: `<${this.origin}/x>; rel="prev", <${next.href}>; rel="next"` } };
  }
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
}

function reply(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body === undefined ? "" : JSON.stringify(body));
}
