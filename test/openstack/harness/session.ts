/** The user, as in `clouds.yaml`. Every user is in the domain `default`. */
export interface Access {
  readonly authUrl: string;
  readonly username: string;
  readonly password: string;
  readonly project: string;
}

export type ServiceType = "identity" | "network" | "compute" | "image" | "volumev3";

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of many shapes.
  readonly json: any;
}

interface CatalogEntry {
  readonly type: string;
  readonly endpoints: readonly { readonly interface: string; readonly url: string }[];
}

/** One user's requests by plain HTTP, so that a test does not read through the code under test. */
export class Session {
  readonly #access: Access;
  #token: { readonly id: string; readonly project: string; readonly endpoints: ReadonlyMap<string, string> } | undefined;

  constructor(access: Access) {
    this.#access = access;
  }

  /** Paths begin with the version for network and image (`/v2.0/networks`), without it for compute and identity (`/servers`). */
  async request(service: ServiceType, method: string, path: string, body?: unknown, microversion?: string): Promise<Answer> {
    const first = await this.#send(service, method, path, body, microversion);
    if (first.status !== 401) return first;
    this.#token = undefined;
    return this.#send(service, method, path, body, microversion);
  }

  /** Like `request`, but throws at any refusal. */
  async demand(service: ServiceType, method: string, path: string, body?: unknown): Promise<Answer["json"]> {
    const { status, json } = await this.request(service, method, path, body);
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return json;
  }

  async projectId(): Promise<string> {
    return (await this.#login()).project;
  }

  /** The address of a service in the catalog. */
  async endpoint(service: ServiceType): Promise<string> {
    return (await this.#login()).endpoints.get(service) ?? "";
  }

  /** The reply of a service to another user's token. */
  async statusWith(token: string, service: ServiceType, path: string): Promise<number> {
    const { endpoints } = await this.#login();
    return (await fetch(`${endpoints.get(service)}${path}`, { headers: { "x-auth-token": token } })).status;
  }

  /** The identity service's description of the token that the requests carry. */
  async ownToken(): Promise<Answer["json"]> {
    const { id, endpoints } = await this.#login();
    const headers = { "x-auth-token": id, "x-subject-token": id };
    return (await answerOf(await fetch(`${endpoints.get("identity")}/auth/tokens?nocatalog`, { headers }))).json;
  }

  /** Every network, subnet … that the user may see, over all pages. */
  async list(service: ServiceType, path: string, collection: string): Promise<Answer["json"][]> {
    const found: Answer["json"][] = [];
    let next: string | undefined = path;
    while (next !== undefined) {
      const page: Answer["json"] = await this.demand(service, "GET", next);
      found.push(...page[collection]);
      const link: { href: string } | undefined = page[`${collection}_links`]?.find(({ rel }: { rel: string }) => rel === "next");
      next = link === undefined ? undefined : `${path.split("?")[0]}${new URL(link.href).search}`;
    }
    return found;
  }

  /** The only object of that name, or undefined. */
  async named(service: ServiceType, path: string, collection: string, name: string): Promise<Answer["json"]> {
    const found = (await this.list(service, path, collection)).filter((object) => object.name === name);
    if (found.length > 1) throw new Error(`${found.length} ${collection} are called ${name}`);
    return found[0];
  }

  async #send(service: ServiceType, method: string, path: string, body: unknown, microversion?: string): Promise<Answer> {
    const { id, endpoints } = await this.#login();
    const response = await fetch(`${endpoints.get(service)}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        "x-auth-token": id,
        ...(microversion === undefined ? {} : { "openstack-api-version": `${service} ${microversion}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return answerOf(response);
  }

  async #login() {
    if (this.#token !== undefined) return this.#token;
    const { authUrl, username, password, project } = this.#access;
    const domain = { id: "default" };
    const identity = { methods: ["password"], password: { user: { name: username, domain, password } } };
    const response = await fetch(`${authUrl}/auth/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ auth: { identity, scope: { project: { name: project, domain } } } }),
    });
    const { status, json } = await answerOf(response);
    if (status !== 201) throw new Error(`${username} cannot log in: ${status} ${JSON.stringify(json)}`);
    const catalog: readonly CatalogEntry[] = json.token.catalog;
    const endpoints = catalog.map(({ type, endpoints }) => {
      const url = endpoints.find((endpoint) => endpoint.interface === "public")?.url ?? "";
      return [type, url.replace(/\/$/, "")] as const;
    });
    this.#token = {
      id: response.headers.get("x-subject-token") ?? "",
      project: json.token.project.id,
      endpoints: new Map([...endpoints, ["identity", authUrl]]),
    };
    return this.#token;
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true && text !== "";
  return { status: response.status, json: isJson ? JSON.parse(text) : text };
}
