import type { Generated } from "kysely";

/** Tables as the newest migration leaves them. Times are milliseconds since 1970, JSON is text. */
export interface Schema {
  readonly history: HistoryTable;
  readonly plans: PlansTable;
  readonly pauses: PausesTable;
  readonly approvals: ApprovalsTable;
  readonly holds: HoldsTable;
  readonly sources: SourcesTable;
  readonly marks: MarksTable;
  readonly notifications: NotificationsTable;
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
  /** Empty: of no target. */
  target: string;
  pass: number | null;
  path: string | null;
  author: string | null;
  outcome: string | null;
  summary: string;
  detail: string;
  /** Of a pass: who runs it. */
  runner: string | null;
}

interface PlansTable {
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
  /** Empty: all targets. */
  target: string;
  reason: string;
  by: string;
  since: number;
  until: number | null;
}

interface ApprovalsTable {
  target: string;
  digest: string;
  by: string;
  at: number;
  source: string | null;
}

interface HoldsTable {
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
  /** The commit that was refused last. */
  refused: string | null;
}

export interface MarksTable {
  target: string;
  commit_sha: string | null;
  inputs: string;
  live: string;
  version: string;
  skips: number;
  until: string | null;
}

interface NotificationsTable {
  channel: string;
  subject: string;
  state: string;
  at: number;
}

interface AgentsTable {
  /** `agent`; the one that holds the store, or held it last. */
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

/** One row a target of a shared store, held or not. Times are the database's. */
interface LeasesTable {
  target: string;
  /** Id of a member; empty when nobody holds it. */
  holder: string;
  /** One more each time that it changes hands. */
  fence: number;
  expires: number;
  /** When another may take it: once no request of the holder can be under way. */
  free: number;
  /** What asked for a visit while one was under way. */
  wanted: string | null;
  /** The commit that has touched the target and is not applied yet. */
  pending: string | null;
  /** Of the roll-out. */
  wave: number | null;
  /** The commit that touched the target last. */
  touched: string | null;
  /** JSON: what the agent remembers between visits. */
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
  /** Its name in the job queue. */
  worker: string | null;
}

/** What agents of a shared store agree on. */
interface InForceTable {
  source: string;
  commit_sha: string | null;
  /** Of the roll-out that is under way; null when there is none. */
  wave: number | null;
}

interface SignOutsTable {
  session: string;
  /** When the session would have ended. The row is deleted after that. */
  until: number;
}

/** One row a target of which sessions are kept. */
interface TrafficTable {
  target: string;
  /** Milliseconds. */
  keep: number;
  /** When its log is to be read next, and nobody reads it before. */
  next: number;
  failure: string | null;
}

/** How far the log of each of its boxes was read. */
interface TrafficLogsTable {
  target: string;
  /** Serial number; empty where nobody tells. */
  box: string;
  /** One more at each reading. */
  version: number;
  /** JSON. */
  mark: string;
}

interface TrafficHoursTable {
  target: string;
  box: string;
  /** Of the box's clock. */
  hour: string;
  /** When it ended. */
  ends: number;
  flows: number;
  data: Buffer;
}
