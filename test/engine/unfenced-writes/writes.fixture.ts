// Only read by fence.test.ts: each line with a number in a comment must not compile, and every other line must.

import { commitWritten } from "../../../src/engine/apply/apply-plan.js";
import type { ApplySession, LedgerSession, LockSession } from "../../../src/engine/apply/apply-session.js";
import { unshared } from "../../../src/engine/apply/fences.js";
import type { Announced, Committed, Confirmed, Written } from "../../../src/engine/apply/states.js";
import { writePlan } from "../../../src/engine/apply/write.js";
import { type Fenced, Unfenced } from "../../../src/engine/fence.js";
import type { Writer, WriteTarget } from "../../../src/engine/write-target.js";
import type { openPanosWriter } from "../../../src/targets/panos/writer.js";

export function writesUnfenced(target: WriteTarget, firewall: ReturnType<typeof openPanosWriter>, raw: Writer, session: ApplySession) {
  void target.writer.behind(unshared).write([]);
  void session.writer.commits?.revert();
  void target.writer.write([]); // 1: what a target gives has no calls
  void target.write([]); // 2: nor has the target
  void firewall.writer.locks.unlock(); // 3: nor a role of one kind
  const fenced: Fenced<Writer> = raw; // 4: calls that nobody fenced are not fenced
  const restored: ApplySession = { ...session, writer: raw }; // 5: and no session takes them
  return [fenced, restored];
}

interface Wiper {
  wipe(): Promise<void>;
}

interface Formatter {
  format(): void;
}

export function newRoles(writer: Unfenced<Writer & { readonly wiper: Wiper }>, formatter: Formatter) {
  void writer.behind(unshared).wiper.wipe();
  void writer.wiper.wipe(); // 6: a role that is added is fenced, too
  return new Unfenced(formatter); // 7: a write that does not wait for its reply cannot be fenced
}

interface States {
  readonly confirmed: Confirmed;
  readonly announced: Announced;
  readonly written: Written;
  readonly committed: Committed;
}

export function statesInOrder(session: ApplySession, { confirmed, announced, written, committed }: States) {
  void writePlan(session, announced);
  void commitWritten(session, written);
  void writePlan(session, confirmed); // 8: a plan that was not announced is not written
  void writePlan(session, written); // 9: nor is one that was already written
  void commitWritten(session, announced); // 10: only written changes are committed
  void commitWritten(session, committed); // 11: and only once
}

export function partsOfTheSession(recording: LedgerSession, locking: LockSession) {
  void recording.ledger.current;
  void locking.locks?.unlock();
  void recording.writer.write([]); // 12: a function that records does not change the target
  void locking.ledger.current; // 13: a function that locks does not record
}
