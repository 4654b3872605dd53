import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Seconds, from a small reply to the read of a complete large device. */
const PASS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const WAIT_SECONDS = [0.01, 0.1, 1, 5, 15, 60, 300, 900];

export type Metrics = ReturnType<typeof defineMetrics>;

/**
 * Defines every metric of the agent. A test compares them with docs/metrics.md. Labels contain only target names and fixed words, never a
 * path, an object, a person or external text.
 */
export function defineMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const { gauge, counter, seconds } = makersIn(registry);
  return {
    registry,
    up: gauge("up", "1 if the agent is ready: its event loop runs, it has a commit, and its store accepts writes; 0 otherwise."),
    build: gauge("build_info", "1. The labels contain the versions of Plumbline and Node.js.", ["version", "node"]),
    targets: gauge("targets", "Targets in the active commit."),
    targetsInDrift: gauge("targets_in_drift", "Targets that differ from the active commit."),
    inSync: gauge("in_sync", "1 if everything declared was compared, is equal and reached the device; 0 otherwise.", ["target"]),
    drift: gauge(
      "drift_items",
      "Differences on a target in the last pass that reached it; no series for a target that was never reached.",
      ["target"],
    ),
    driftAge: gauge("drift_age_seconds", "Seconds since the oldest difference of a target was first seen; 0 if nothing differs.", [
      "target",
    ]),
    pending: gauge(
      "pending_items",
      "Differences caused by a commit that is not applied yet (refused, window, approval, roll-out, failed). They are not drift, and the target is not in sync.",
      ["target"],
    ),
    assertions: gauge("assertions", "Assertions of a target by state: holds, broken, unknown, empty.", ["target", "state"]),
    ...managerMetrics(gauge),
    ...ignoreMetrics(gauge),
    ...ruleMetrics(gauge),
    ...reachMetrics(gauge),
    passes: counter("passes_total", "Finished passes by result. skipped: the target had not changed.", ["target", "result"]),
    passDuration: seconds("pass_duration", "Duration of passes.", PASS_SECONDS, ["result"]),
    stageDuration: seconds("stage_duration", "Duration of the stages of passes.", PASS_SECONDS, ["stage"]),
    queueWait: seconds("queue_wait", "Time between the due time and the start of a visit.", WAIT_SECONDS),
    operations: counter("operations_applied_total", "Operations that a target acknowledged.", ["target"]),
    heals: counter("heals_total", "Differences that the agent healed.", ["target"]),
    healGuard: counter("heal_guard_trips_total", "Differences that are no longer healed because they keep returning.", ["target"]),
    refusals: counter("refusals_total", "Plans refused by a guard. A plan that does not change is counted once.", ["guard"]),
    errors: counter("errors_total", "Errors by code (docs/errors.md).", ["code"]),
    held: gauge("held", "1 for a target that has changes to write but is on hold, by reason.", ["target", "reason"]),
    signIns: counter("sign_ins_total", "Sign-ins to the page. how: word, token or provider; result: accepted or refused.", [
      "how",
      "result",
    ]),
    paused: gauge("paused", "1 for a target that is paused for every runner. Target * means that all targets are paused.", ["target"]),
    ...sourceMetrics(gauge, counter),
    requests: counter("requests_total", "Requests to targets. outcome: the status class, such as 2xx, or error.", [
      "target",
      "kind",
      "outcome",
    ]),
    requestDuration: seconds("request_duration", "Duration of requests to targets by kind of target and call.", REQUEST_SECONDS, [
      "kind",
      "call",
    ]),
    retries: counter("request_retries_total", "Repeated requests to targets.", ["target", "kind"]),
    ledgerWrites: counter("ledger_writes_total", "Writes to the ledger during applies."),
    storeBytes: gauge("store_size_bytes", "Size of the store."),
    storeRows: gauge("store_rows", "History rows in the store."),
    notifications: counter("notifications_total", "Notifications by channel. result: sent or failed.", ["channel", "result"]),
  };
}

/** Metrics of end dates of rules. */
function ruleMetrics(gauge: ReturnType<typeof makersIn>["gauge"]) {
  return {
    rulesExpiring: gauge(
      "rules_expiring",
      "Rules and members in the documents of a target whose last day is over or at most 7 days away.",
      ["target"],
    ),
    rulesExpiringDays: gauge(
      "rules_expiring_days",
      "Days until the earliest of these last days; negative after it. No series if there is none.",
      ["target"],
    ),
  };
}

/** Metrics of ignores with a last day. */
function ignoreMetrics(gauge: ReturnType<typeof makersIn>["gauge"]) {
  return {
    ignoresEnding: gauge("ignores_ending", "Ignores of a target whose last day is today or tomorrow.", ["target"]),
    ignoresEnded: gauge("ignores_ended", "Ignores of a target whose last day is over. Differences at these paths are reported again.", [
      "target",
    ]),
  };
}

/** Metrics of the repository and of the active commit. */
function sourceMetrics(gauge: ReturnType<typeof makersIn>["gauge"], counter: ReturnType<typeof makersIn>["counter"]) {
  return {
    lastFetch: gauge("source_last_fetch_timestamp_seconds", "Time of the last successful fetch of the repository."),
    fetchFailures: counter("source_fetch_failures_total", "Failed fetches of the repository."),
    commit: gauge("commit_in_force_info", "1. The label contains the active commit.", ["commit"]),
    commitSince: gauge("commit_in_force_timestamp_seconds", "Time when the active commit was activated."),
    commitsRefused: counter("commits_refused_total", "Rejected commits. reason: signature or broken.", ["reason"]),
    rolloutStopped: gauge("rollout_stopped", "1 while a roll-out is stopped at a failed target; 0 otherwise."),
  };
}

/** Metrics of targets that do or do not answer. */
function reachMetrics(gauge: ReturnType<typeof makersIn>["gauge"]) {
  return {
    lastPass: gauge(
      "last_pass_timestamp_seconds",
      "End time of the last pass that reached the target; the start of the agent if no pass reached it.",
      ["target"],
    ),
    unanswered: gauge("unanswered_visits", "Consecutive visits that the target did not answer. Such visits take no slot.", ["target"]),
    nextVisit: gauge("next_visit_timestamp_seconds", "Time of the next visit of a target that did not answer.", ["target"]),
  };
}

/** Metrics of managers and their firewalls. */
function managerMetrics(gauge: ReturnType<typeof makersIn>["gauge"]) {
  return {
    managed: gauge(
      "managed_firewalls",
      "Firewalls of a manager by state: in sync, out of sync, unknown; away: not connected; overdue: not connected for longer than `offline` allows; unlike: the firewall itself reports another configuration; obstructed: local configuration overrides the pushed one, or the firewall does not report it.",
      ["target", "state"],
    ),
    levels: gauge(
      "level",
      "Levels of a manager (candidate, running, in sync, handed, in the way): 1 for the current state (equal, differs, unknown, not asked).",
      ["target", "level", "state"],
    ),
    pushSteps: gauge(
      "push_firewalls",
      "Firewalls of this agent's current or last push by step: waiting, waiting for a canary, validating, pushing, pushed, arrived, failed, unknown, not connected.",
      ["target", "step"],
    ),
    pushBegan: gauge("push_began_timestamp_seconds", "Start time of the running push; 0 if there is none.", ["target"]),
  };
}

/** Returns constructors for metrics of one registry, with the `plumbline_` prefix. */
function makersIn(registry: Registry) {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `plumbline_${name}`, help, labelNames: [...labelNames], registers });
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name: `plumbline_${name}`, help, labelNames: [...labelNames], registers });
  const seconds = <Label extends string>(name: string, help: string, buckets: number[], labelNames: readonly Label[] = []) =>
    new Histogram({ name: `plumbline_${name}_seconds`, help, buckets, labelNames: [...labelNames], registers });
  return { gauge, counter, seconds };
}
