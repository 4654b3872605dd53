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
    up: gauge("up", "1 while the agent is ready: its loop turns, it has a commit, and its store takes what it is told; else 0."),
    build: gauge("build_info", "1; the labels say which program runs.", ["version", "node"]),
    targets: gauge("targets", "Targets of the commit in force."),
    targetsInDrift: gauge("targets_in_drift", "Targets on which something differs from the commit in force."),
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
      "What differs on a target because a commit waits there (refused, window, approval, roll-out, failed): no drift, and not in sync.",
      ["target"],
    ),
    assertions: gauge("assertions", "Assertions of a target by how they stand: holds, broken, unknown, empty.", ["target", "state"]),
    ...managerMetrics(gauge),
    ignoresEnding: gauge("ignores_ending", "Ignores of a target whose last day is today or tomorrow.", ["target"]),
    ignoresEnded: gauge("ignores_ended", "Ignores of a target whose last day is over: what they hide is a difference.", ["target"]),
    lastPass: gauge(
      "last_pass_timestamp_seconds",
      "When the last pass over a target ended that reached it; the start of the agent for a target that was never reached.",
      ["target"],
    ),
    passes: counter("passes_total", "Passes that ended, by how they came out; skipped: nothing had moved.", ["target", "result"]),
    passDuration: seconds("pass_duration", "How long passes took.", PASS_SECONDS, ["result"]),
    stageDuration: seconds("stage_duration", "How long the parts of passes took.", PASS_SECONDS, ["stage"]),
    queueWait: seconds("queue_wait", "How long visits were due before they began.", WAIT_SECONDS),
    operations: counter("operations_applied_total", "Operations that targets acknowledged.", ["target"]),
    heals: counter("heals_total", "Differences that the agent put right.", ["target"]),
    healGuard: counter("heal_guard_trips_total", "Differences left alone because they came back again and again.", ["target"]),
    refusals: counter("refusals_total", "Plans that a guard held back, by guard; told once as long as the plan stays the same.", ["guard"]),
    errors: counter("errors_total", "Errors by their code (docs/errors).", ["code"]),
    held: gauge("held", "1 for a target that the agent leaves alone although there is something to write, by reason.", [
      "target",
      "reason",
    ]),
    signIns: counter("sign_ins_total", "Sign-ins to the page; how: word, token or provider; result: accepted or refused.", [
      "how",
      "result",
    ]),
    paused: gauge("paused", "1 for a target that every runner is told is paused; target * is a pause of all.", ["target"]),
    ...sourceMetrics(gauge, counter),
    requests: counter("requests_total", "Requests to targets; outcome: the class of the status, such as 2xx, or error.", [
      "target",
      "kind",
      "outcome",
    ]),
    requestDuration: seconds("request_duration", "How long requests to targets took, by kind of target and of call.", REQUEST_SECONDS, [
      "kind",
      "call",
    ]),
    retries: counter("request_retries_total", "Requests to targets that were sent again.", ["target", "kind"]),
    ledgerWrites: counter("ledger_writes_total", "Writes to the ledger while something was applied."),
    storeBytes: gauge("store_size_bytes", "Size of the store."),
    storeRows: gauge("store_rows", "Rows of the history in the store."),
    notifications: counter("notifications_total", "Notifications by channel; result: sent or failed.", ["channel", "result"]),
  };
}

/** Metrics of the repository and of the commit in force. */
function sourceMetrics(gauge: ReturnType<typeof makersIn>["gauge"], counter: ReturnType<typeof makersIn>["counter"]) {
  return {
    lastFetch: gauge("source_last_fetch_timestamp_seconds", "When the repository answered last."),
    fetchFailures: counter("source_fetch_failures_total", "Times that the repository could not be asked."),
    commit: gauge("commit_in_force_info", "1; the label says which commit is in force.", ["commit"]),
    commitSince: gauge("commit_in_force_timestamp_seconds", "When the commit in force was taken."),
    commitsRefused: counter("commits_refused_total", "Commits that were not taken; reason: signature or broken.", ["reason"]),
    rolloutStopped: gauge("rollout_stopped", "1 while a roll-out has stopped at a target that failed; else 0."),
  };
}

/** Metrics of managers and their firewalls. */
function managerMetrics(gauge: ReturnType<typeof makersIn>["gauge"]) {
  return {
    managed: gauge(
      "managed_firewalls",
      "Firewalls of a manager by whether they have what is running on it: in sync, out of sync, unknown; away: not connected, whatever they have; overdue: those of them that are for longer than offline: lets them; unlike: those that say themselves that they have something else; obstructed: those that have something of their own in the way, or do not say.",
      ["target", "state"],
    ),
    levels: gauge(
      "level",
      "Levels of a manager (candidate, running, in sync, handed, in the way) by how they stand, 1 where it is so: equal, differs, unknown, not asked.",
      ["target", "level", "state"],
    ),
    pushSteps: gauge(
      "push_firewalls",
      "Firewalls of the push of this agent that is at work, or was last, by their step: waiting, waiting for a canary, validating, pushing, pushed, arrived, failed, unknown, not connected.",
      ["target", "step"],
    ),
    pushBegan: gauge("push_began_timestamp_seconds", "When the push that is at work began; 0 where none is.", ["target"]),
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
