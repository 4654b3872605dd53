/** Kinds of code hosts. In a separate file, because a flag definition loads it at each start. */
export const HOST_KINDS = ["github", "gitlab", "gitea"] as const;
export type HostKind = (typeof HOST_KINDS)[number];
