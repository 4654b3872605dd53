import { type RawBuilder, sql } from "kysely";

/**
 * Condition for the rows of a repository. Rows of older versions name none, and count for every repository. Without a repository, all rows
 * match.
 */
export function ofRepository(repository: string | undefined): RawBuilder<boolean> {
  return repository === undefined ? sql<boolean>`1 = 1` : sql<boolean>`coalesce(repository, '') in ('', ${repository})`;
}
