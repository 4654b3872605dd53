import { StoredLedger } from "../../engine/ledger/stored-ledger.js";
import { approvalsOf } from "./approvals.js";
import type { Backend } from "./backend.js";
import { claim } from "./claim.js";
import { Database } from "./database.js";
import { driftMemoryOf } from "./drift.js";
import { historyOf } from "./history.js";
import { holdsOf } from "./holds.js";
import { DatabaseLedgerStore } from "./ledger-store.js";
import { marksOf } from "./marks.js";
import { notificationsOf } from "./notifications.js";
import { passesOf } from "./passes.js";
import { pausesOf } from "./pauses.js";
import { plansOf } from "./plans.js";
import { Pruner } from "./prune.js";
import { sharedWorkOf } from "./shared/shared-work.js";
import { signOutsOf } from "./sign-outs.js";
import { sourcesOf } from "./sources.js";
import type { Store } from "./store.js";
import { trafficStoreOf } from "./traffic.js";
import { usageOf } from "./usage.js";

/** Returns the store of a database with the current schema. `patience`: milliseconds to wait for a write of another process. */
export function storeOn(backend: Backend, patience?: number): Store {
  const database = new Database(backend, patience);
  const traffic = trafficStoreOf(database);
  const ledgers = new DatabaseLedgerStore(database);
  const pruner = new Pruner(database, traffic);
  return {
    place: backend.place,
    repository: backend.repository,
    passes: passesOf(database),
    history: historyOf(database),
    drift: driftMemoryOf(database),
    plans: plansOf(database),
    pauses: pausesOf(database),
    approvals: approvalsOf(database),
    holds: holdsOf(database),
    sources: sourcesOf(database),
    marks: marksOf(database),
    notifications: notificationsOf(database),
    signOuts: signOutsOf(database),
    traffic,
    ledger: new StoredLedger(ledgers),
    ledgers,
    shared: sharedWorkOf(database),
    claim: (runner, now) => claim(database, runner, now),
    prune: (retention, now) => pruner.prune(retention, now),
    usage: () => usageOf(database),
    close: () => backend.close(),
  };
}
