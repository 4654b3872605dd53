/** Kinds of code hosts. In a file of its own, since the definition of a flag lists them at each start. */
export const HOST_KINDS = ["github", "gitlab", "gitea"] as const;
export type HostKind = (typeof HOST_KINDS)[number];
