import type { Clock } from "../../panos/clock.js";
import type { Identifiers } from "../world/identifiers.js";
import type { Requester } from "../world/requester.js";
import { ServiceError } from "../world/service-error.js";
import type { ApplicationCredential, Project, Token, User } from "./directory.js";
import { conflict, unauthorized } from "./errors.js";

export interface IdentityOptions {
  /** Milliseconds. Defaults to one hour. Can be changed while the lab runs. */
  readonly tokenLifetime?: number;
}

/** Parameters of a new token. */
export interface CredentialRequest {
  readonly methods: readonly string[];
  readonly user: User;
  readonly project?: Project | undefined;
  readonly system?: boolean;
  readonly credential?: ApplicationCredential;
  /** Latest time of expiry. */
  readonly until?: number | undefined;
}

/** Lengths of the real service's tokens: with a project, by application credential, without scope. */
const TOKEN_LENGTH = { project: 183, credential: 204, unscoped: 162 };

/** Users, projects, roles, application credentials and tokens of one domain. */
export class Identity {
  tokenLifetime: number;
  readonly projects = new Map<string, Project>();
  readonly users = new Map<string, User>();
  readonly credentials = new Map<string, ApplicationCredential>();
  readonly #tokens = new Map<string, Token>();
  readonly #roleIds = new Map<string, string>();
  readonly #clock: Clock;
  readonly #identifiers: Identifiers;

  constructor(clock: Clock, identifiers: Identifiers, { tokenLifetime = 3_600_000 }: IdentityOptions = {}) {
    this.#clock = clock;
    this.#identifiers = identifiers;
    this.tokenLifetime = tokenLifetime;
  }

  addProject(name: string, description = "", enabled = true): Project {
    if (this.projectNamed(name) !== undefined) {
      throw conflict(
        `Conflict occurred attempting to store project - it is not permitted to have two projects with the same name in the same domain : ${name}.`,
      );
    }
    const project = { id: this.#identifiers.hex(), name, description, enabled };
    this.projects.set(project.id, project);
    return project;
  }

  addUser(name: string, password: string, enabled = true): User {
    const user: User = { id: this.#identifiers.hex(), name, password, enabled, roles: new Map() };
    this.users.set(user.id, user);
    return user;
  }

  /** Assigns roles on a project or on the system. */
  assign(user: User, on: Project | "system", roles: readonly string[]): void {
    user.roles.set(on === "system" ? on : on.id, roles);
  }

  userNamed(name: string): User | undefined {
    return [...this.users.values()].find((user) => user.name === name);
  }

  projectNamed(name: string): Project | undefined {
    return [...this.projects.values()].find((project) => project.name === name);
  }

  /** Returns the projects on which a user has a role. */
  projectsOf(user: User): Project[] {
    return [...user.roles.keys()].flatMap((id) => this.projects.get(id) ?? []);
  }

  roleId(name: string): string {
    const id = this.#roleIds.get(name) ?? this.#identifiers.hex();
    this.#roleIds.set(name, id);
    return id;
  }

  addCredential(token: Token, name: string, request: Partial<ApplicationCredential> = {}): ApplicationCredential {
    if (token.project === undefined) throw new ServiceError(403, "Forbidden", "Application credentials need a project.");
    const taken = [...this.credentials.values()].some((each) => each.userId === token.user.id && each.name === name);
    if (taken) throw conflict(`Conflict occurred attempting to store application_credential - Duplicate entry found with name ${name}.`);
    const credential: ApplicationCredential = {
      id: this.#identifiers.hex(),
      name,
      description: request.description ?? null,
      userId: token.user.id,
      projectId: token.project.id,
      secret: request.secret ?? this.#identifiers.text(86),
      roles: request.roles ?? token.roles,
      expiresAt: request.expiresAt,
      unrestricted: request.unrestricted ?? null,
    };
    this.credentials.set(credential.id, credential);
    return credential;
  }

  /** Issues a token. Throws 401 if the user has no role on the project or the system. */
  issue({ methods, user, project, system = false, credential, until }: CredentialRequest): Token {
    const roles = credential?.roles ?? (system ? user.roles.get("system") : project && user.roles.get(project.id)) ?? [];
    if (!user.enabled || ((project !== undefined || system) && roles.length === 0) || project?.enabled === false) throw unauthorized();
    const length =
      credential === undefined ? (project === undefined ? TOKEN_LENGTH.unscoped : TOKEN_LENGTH.project) : TOKEN_LENGTH.credential;
    const issuedAt = this.#clock.now();
    const token: Token = {
      id: `gAAAAAB${this.#identifiers.text(length - 7)}`,
      methods,
      user,
      project,
      system,
      roles,
      issuedAt,
      expiresAt: Math.min(issuedAt + this.tokenLifetime, until ?? Number.POSITIVE_INFINITY),
      auditId: this.#identifiers.text(22),
      credential,
    };
    this.#tokens.set(token.id, token);
    return token;
  }

  /** Returns the token with this id, or undefined if it is invalid. */
  token(id: string | undefined): Token | undefined {
    const token = id === undefined ? undefined : this.#tokens.get(id);
    if (token !== undefined && token.expiresAt <= this.#clock.now()) {
      this.#tokens.delete(token.id);
      return undefined;
    }
    return token;
  }

  /** Ends a token immediately, for every service. */
  revoke(id: string): void {
    this.#tokens.delete(id);
  }

  /** Ends all tokens, or the tokens of one user. */
  revokeAll(userName?: string): void {
    for (const { id, user } of this.#tokens.values()) if (userName === undefined || user.name === userName) this.#tokens.delete(id);
  }

  /** Returns a requester that acts without a token. */
  requester(userName: string, projectName: string): Requester {
    const user = this.userNamed(userName);
    const project = this.projectNamed(projectName);
    if (user === undefined || project === undefined) throw new Error(`the lab knows no user ${userName} or no project ${projectName}`);
    return requesterOf({ user, project, system: false, roles: user.roles.get(project.id) ?? [] });
  }
}

/** Returns the caller as the other services see it. */
export function requesterOf({ user, project, system, roles }: Pick<Token, "user" | "project" | "system" | "roles">): Requester {
  return { userId: user.id, userName: user.name, projectId: project?.id, projectName: project?.name, system, roles };
}
