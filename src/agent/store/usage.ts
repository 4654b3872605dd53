import type { Database } from "./database.js";
import type { StoreUsage } from "./store.js";

export async function usageOf(database: Database): Promise<StoreUsage> {
  const bytes = await database.reportingFailure(() => database.backend.bytes());
  const { rows } = await database.read((db) =>
    db
      .selectFrom("history")
      .select((select) => select.fn.countAll<number>().as("rows"))
      .executeTakeFirstOrThrow(),
  );
  return { bytes, rows };
}
