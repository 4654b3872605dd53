import type { Generated } from "kysely";

/** Tables after the newest migration. Times are milliseconds since 1970, and JSON is text. */
export interface Schema {
  readonly history: HistoryTable;
  readonly repository_plans: PlansTable;
  readonly repository_pauses: PausesTable;
  readonly repository_approvals: ApprovalsTable;
  readonly repository_holds: HoldsTable;
  readonly sources: SourcesTable;
  readonly repository_marks: MarksTable;
  readonly repository_notifications: NotificationsTable;
  readonly agents: AgentsTable;
  readonly ledgers: LedgersTable;
  readonly leases: LeasesTable;
  readonly members: MembersTable;
  readonly in_force: InForceTable;
  readonly sign_outs: SignOutsTable;
  readonly traffic: TrafficTable;
  readonly traffic_logs: TrafficLogsTable;
  readonly traffic_hours: TrafficHoursTable;
}

export interface HistoryTable {
  id: Generated<number>;
  kind: string;
  at: number;
  ended: number | null;
  seen: number | null;
  /** Empty if the row belongs to no target. */
  target: string;
  pass: number | null;
  path: string | null;
  author: string | null;
  outcome: string | null;
  summary: string;
  detail: string;
  /** Process that runs a pass. */
  runner: string | null;
  /** Repository of the process that wrote the row (`repositoryName`). Null if the row is older than the column. */
  repository: string | null;
}

interface PlansTable {
  /** Empty if an older version wrote the row. */
  repository: string;
  target: string;
  digest: string;
  planned: number;
  changes: string;
  operations: number;
  refusals: number;
  /** 0 or 1. */
  commit_only: number;
  json: string | null;
}

interface PausesTable {
  /** Empty if an older version wrote the row. */
  repository: string;
  /** Empty for all targets. */
  target: string;
  reason: string;
  by: string;
  since: number;
  until: number | null;
}

interface ApprovalsTable {
  /** Empty if an older version wrote the row. */
  repository: string;
  target: string;
  digest: string;
  by: string;
  at: number;
  source: string | null;
}

interface HoldsTable {
  /** Empty if an older version wrote the row. */
  repository: string;
  target: string;
  commit_sha: string;
  attempts: number;
  next_try: number | null;
  reason: string;
  at: number;
}

interface SourcesTable {
  source: string;
  commit_sha: string | null;
  accepted: number | null;
  /** Last rejected commit. */
  refused: string | null;
}

export interface MarksTable {
  /** Empty if an older version wrote the row. */
  repository: string;
  target: string;
  commit_sha: string | null;
  inputs: string;
  live: string;
  version: string;
  skips: number;
  until: string | null;
}

interface NotificationsTable {
  /** Empty if an older version wrote the row. */
  repository: string;
  channel: string;
  subject: string;
  state: string;
  at: number;
}

interface AgentsTable {
  /** Always `agent`. The row names the agent that holds the store, or held it last. */
  role: string;
  host: string;
  hostname: string;
  pid: number;
  started: number;
  version: string;
}

interface LedgersTable {
  owner: string;
  target: string;
  version: number;
  text: string;
}

/** One row per target of a shared store, with or without a holder. Times are those of the database. */
interface LeasesTable {
  target: string;
  /** Id of a member. Empty without a holder. */
  holder: string;
  /** Incremented at each change of the holder. */
  fence: number;
  expires: number;
  /** Time when another member may take the lease: no request of the holder can be running then. */
  free: number;
  /** Trigger of a visit that was requested during another visit. */
  wanted: string | null;
  /** Commit that touches the target and is not applied yet. */
  pending: string | null;
  /** Wave of the roll-out. */
  wave: number | null;
  /** Last commit that touched the target. */
  touched: string | null;
  /** State between visits, as JSON. */
  state: string;
}

interface MembersTable {
  id: string;
  host: string;
  hostname: string;
  pid: number;
  started: number;
  version: string;
  seen: number;
  /** Milliseconds of silence after which others take over its work. */
  gone_after: number;
  /** Name in the job queue. */
  worker: string | null;
  /** Repository that the agent follows. Null if an older version wrote the row. */
  repository: string | null;
}

/** Active commit of a shared store. */
interface InForceTable {
  source: string;
  commit_sha: string | null;
  /** Wave of the current roll-out. Null without one. */
  wave: number | null;
}

interface SignOutsTable {
  session: string;
  /** End of the session. The row is deleted after that. */
  until: number;
}

/** One row per target with stored traffic. */
interface TrafficTable {
  target: string;
  /** Retention in milliseconds. */
  keep: number;
  /** Time of the next read of the log. */
  next: number;
  failure: string | null;
}

/** Position in the log of each device. */
interface TrafficLogsTable {
  target: string;
  /** Serial number. Empty if the device does not report it. */
  box: string;
  /** Incremented at each read. */
  version: number;
  /** JSON. */
  mark: string;
}

interface TrafficHoursTable {
  target: string;
  box: string;
  /** Start of the hour, in the device's clock. */
  hour: string;
  /** End of the hour. */
  ends: number;
  flows: number;
  data: Buffer;
}
