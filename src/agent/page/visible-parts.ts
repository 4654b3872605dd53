import type { Access } from "../../engine/rights.js";
import type { FleetNews } from "./fleet.js";
import type { AuditView, CommitView, FleetView, MetaView } from "./view.js";

/** Returns the part of the fleet view that a person may see: their targets, without the names of other targets. */
export function visibleFleet(view: FleetView, access: Access): FleetView {
  if (access.mayEverywhere("read")) return view;
  return { ...view, meta: seenMeta(view.meta, access), rows: view.rows.filter(([name]) => access.may("read", name)) };
}

export function visibleNews(news: readonly FleetNews[], access: Access): readonly FleetNews[] {
  if (access.mayEverywhere("read")) return news;
  const seen = news.map((each) => seenPiece(each, access));
  return seen.filter(({ event, data }) => event === "meta" || data.length > 0);
}

function seenPiece(news: FleetNews, access: Access): FleetNews {
  const may = (name: string): boolean => access.may("read", name);
  switch (news.event) {
    case "rows":
      return { ...news, data: news.data.filter(([name]) => may(name)) };
    case "checked":
      return { ...news, data: news.data.filter(([name]) => may(name)) };
    case "gone":
      return { ...news, data: news.data.filter(may) };
    case "meta":
      return { ...news, data: seenMeta(news.data, access) };
  }
}

/** Alarms quote external messages that may name any target. Without full rights, only their first words are shown. */
function seenMeta(meta: MetaView, access: Access): MetaView {
  const pauses = meta.pauses.filter(({ target }) => target === "" || access.may("read", target));
  const head = visibleCommit(meta.head, access);
  const may = (name: string): boolean => access.may("read", name);
  const { rollout: all } = meta;
  const rollout = all && { ...all, failed: all.failed.filter(may), open: all.open.filter(may) };
  return { ...meta, pauses, head, rollout, alarms: meta.alarms.map((alarm) => `${alarm.split(":")[0]}.`) };
}

/** Removes the message of a commit, which may name any target. */
export function visibleCommit(commit: CommitView | undefined, access: Access): CommitView | undefined {
  return commit === undefined || access.mayEverywhere("read") ? commit : { ...commit, message: "" };
}

/** An audit is shown to users who may read the target and both services that it compares. */
export function seenAudit(view: AuditView, access: Access): AuditView {
  if (access.mayEverywhere("read")) return view;
  const results = view.results.filter(({ target, audit }) => {
    const names = audit === undefined ? [target] : [target, audit.networkService, audit.controller];
    return names.every((name) => access.may("read", name));
  });
  return { ...view, results };
}
