/** A project. The identity service uses ids of 32 hexadecimal digits, except `default` for the first domain. */
export interface Project {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly enabled: boolean;
}

export interface User {
  readonly id: string;
  readonly name: string;
  password: string;
  readonly enabled: boolean;
  /** Role names by project id; `system` for roles on the system. */
  readonly roles: Map<string, readonly string[]>;
}

export interface ApplicationCredential {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly userId: string;
  readonly projectId: string;
  readonly secret: string;
  readonly roles: readonly string[];
  /** Milliseconds since 1970. */
  readonly expiresAt: number | undefined;
  readonly unrestricted: boolean | null;
}

/** A token, valid until it expires or is revoked. Times are in milliseconds since 1970. */
export interface Token {
  readonly id: string;
  readonly methods: readonly string[];
  readonly user: User;
  readonly project: Project | undefined;
  readonly system: boolean;
  readonly roles: readonly string[];
  readonly issuedAt: number;
  expiresAt: number;
  readonly auditId: string;
  readonly credential: ApplicationCredential | undefined;
}

export const DOMAIN = { id: "default", name: "Default" } as const;
