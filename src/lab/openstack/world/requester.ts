/** The account that a service acts for, according to its token. */
export interface Requester {
  readonly userId: string;
  readonly userName: string;
  /** Undefined if the token has no project scope. */
  readonly projectId: string | undefined;
  readonly projectName: string | undefined;
  readonly system: boolean;
  readonly roles: readonly string[];
}

export function isAdmin({ roles }: Requester): boolean {
  return roles.includes("admin");
}

/** Returns whether the requester owns the objects of a project or is an administrator. */
export function owns(requester: Requester, projectId: string): boolean {
  return isAdmin(requester) || requester.projectId === projectId;
}
