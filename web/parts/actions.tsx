import type { FleetRow } from "../../src/agent/page/fleet-row.ts";
import type { PauseView, TargetView } from "../../src/agent/page/view.ts";
import type { PageRole } from "../../src/desired/configuration/page-settings.ts";
import { useDesk } from "../data/page-context.ts";
import { allowWords } from "../data/state-labels.ts";
import { Line } from "./commit.tsx";

const ROLES: readonly PageRole[] = ["plan", "pause", "reconcile", "approve", "allow"];

export interface Pressing {
  /** False without an agent or a sign-in. No actions are shown then. */
  readonly isOffered: boolean;
  /** Also true before the sign-in, because the button then opens the sign-in. */
  readonly may: (role: PageRole) => boolean;
  /** Returns the handler of a button: the action, or the sign-in before it. */
  readonly ask: (role: PageRole, work: () => void) => () => void;
}

/** Returns the actions that the user may take on a target. If the roles are not loaded yet, the agent decides. */
export function usePressing(target: string, view: TargetView | undefined): Pressing {
  const { session, isStatic, open, say } = useDesk();
  const signedIn = session.name !== "";
  const may = (role: PageRole) => !signedIn || view?.seenBy !== session.name || view.may.includes(role);
  return {
    isOffered: session.canSignIn && !isStatic,
    may,
    ask: (role, work) => () => {
      if (!signedIn) open({ kind: "sign-in" });
      else if (may(role)) work();
      else say(`Refused: this requires the role "${role}" on ${target}.`, true);
    },
  };
}

interface ActionsProps {
  readonly row: FleetRow;
  /** The plan waits for an approval or an override, whose button is the primary one then. */
  readonly waits: boolean;
  readonly pause: PauseView | undefined;
  readonly pressing: Pressing;
  readonly plan: () => void;
  readonly reconcile: () => void;
}

export function Actions({ row: { name, mode }, waits, pause, pressing: { may, ask }, plan, reconcile }: ActionsProps) {
  const { open, act } = useDesk();
  return (
    <div class="actions" role="group" aria-label="Actions">
      {mode === "enforce" && (
        <button type="button" class={waits ? "" : "primary"} disabled={!may("reconcile")} onClick={reconcile}>
          Reconcile now
        </button>
      )}
      <button type="button" class={mode === "enforce" || waits ? "" : "primary"} disabled={!may("plan")} onClick={plan}>
        Plan now
      </button>
      {pause?.target === name ? (
        <button type="button" disabled={!may("pause")} onClick={ask("pause", () => void act("resume", { target: name }))}>
          Resume
        </button>
      ) : (
        <button type="button" disabled={!may("pause")} onClick={ask("pause", () => open({ kind: "pause", target: name }))}>
          Pause
        </button>
      )}
    </div>
  );
}

/** Explains why some buttons are disabled. */
export function Lacking({ view, pressing }: { readonly view: TargetView | undefined; readonly pressing: Pressing }) {
  const { session } = useDesk();
  const lacking = ROLES.filter((role) => !pressing.may(role));
  if (lacking.length === 0 || !pressing.isOffered) return null;
  return (
    <p class="dim lacking">
      Roles of {session.name} on this target: {view?.may.join(", ")}. Missing: {lacking.join(", ")}.
    </p>
  );
}

interface WaitingProps {
  readonly target: string;
  readonly plan: TargetView["plan"];
  readonly pressing: Pressing;
}

/** Shows why a plan is refused, and the override. */
export function Refusal({ target, plan, pressing }: WaitingProps) {
  const { open, isStatic } = useDesk();
  const { digest = "", flags, commit, json } = plan ?? {};
  const refusals = json?.refusals ?? [];
  if (refusals.length === 0) return null;
  return (
    <div class="banner is-refused">
      <b>Refused</b>
      <ul class="refusals">
        {refusals.map(({ guard, message, source }) => (
          <li key={`${guard} ${message}`}>
            {message} <span class="dim">({guard})</span>
            {source !== undefined && (
              <>
                {" "}
                <Line place={source} commit={commit} />
              </>
            )}
          </li>
        ))}
      </ul>
      {flags === undefined && <p>This page cannot override the refusal. Fix the cause first.</p>}
      {flags !== undefined && flags.length > 0 && (
        <p class="override">
          <span>To apply the plan, override once: {flags.map(allowWords).join("; ")}.</span>
          {pressing.isOffered && !isStatic && (
            <button
              type="button"
              class="primary"
              disabled={!pressing.may("allow")}
              onClick={pressing.ask("allow", () => open({ kind: "allow", target, digest, flags }))}
            >
              Allow once
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/** Shows a plan that needs an approval. */
export function Approval({ target, plan, pressing }: WaitingProps) {
  const { open } = useDesk();
  if (plan?.waitsForApproval !== true || !pressing.isOffered) return null;
  return (
    <p class="banner is-drifted">
      <b>Waits for approval</b> The agent applies the plan after an approval.
      <button
        type="button"
        class="primary"
        disabled={!pressing.may("approve")}
        onClick={pressing.ask("approve", () => open({ kind: "approve", target, digest: plan.digest }))}
      >
        Approve
      </button>
    </p>
  );
}
