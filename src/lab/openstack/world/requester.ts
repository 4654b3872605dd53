/** On whose behalf a service acts: what a token says. */
export interface Requester {
  readonly userId: string;
  readonly userName: string;
  /** Undefined where the token has no project scope. */
  readonly projectId: string | undefined;
  readonly projectName: string | undefined;
  readonly system: boolean;
  readonly roles: readonly string[];
}

export function isAdmin({ roles }: Requester): boolean {
  return roles.includes("admin");
}

/** The owner of the objects, or an administrator. */
export function owns(requester: Requester, projectId: string): boolean {
  return isAdmin(requester) || requester.projectId === projectId;
}
