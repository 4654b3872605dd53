import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { SessionView } from "../../src/agent/page/view.ts";
import { type DialogAsked, useDesk } from "../data/page-context.ts";
import { allowWords, plural } from "../data/state-labels.ts";
import { Help } from "./help.tsx";
import { Palette } from "./palette.tsx";
import { SignInForm } from "./sign-in.tsx";

interface ModalProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** The browser keeps the focus inside the dialog, restores it afterwards, and closes the dialog on Escape. */
function Modal({ title, close, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="dialog-title">
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

export function Dialogs({ asked, close }: { readonly asked: DialogAsked | undefined; readonly close: () => void }) {
  switch (asked?.kind) {
    case undefined:
      return null;
    case "help":
      return (
        <Modal title="Help" close={close}>
          <Help />
          <form method="dialog" class="buttons" onSubmit={closing(close)}>
            <button type="submit" class="primary">
              Close
            </button>
          </form>
        </Modal>
      );
    case "palette":
      return <Palette close={close} />;
    case "sign-in":
      return <SignIn close={close} />;
    case "approve":
      return <Approve target={asked.target} digest={asked.digest} close={close} />;
    case "allow":
      return <Allow target={asked.target} digest={asked.digest} flags={asked.flags} close={close} />;
    case "pause":
      return <Pause target={asked.target} close={close} />;
    case "reconcile":
      return <Reconcile target={asked.target} drifts={asked.drifts} close={close} />;
  }
}

/** Handles a form without submitting it, which the policy of the page forbids. */
function closing(work: () => void) {
  return (event: Event) => {
    event.preventDefault();
    work();
  };
}

function SignIn({ close }: { readonly close: () => void }) {
  const { session, setSession, say } = useDesk();
  const signedIn = (found: SessionView) => {
    setSession(found);
    say(`Signed in as ${found.name}.`);
    close();
  };
  return (
    <Modal title="Sign in" close={close}>
      <p class="dim">To pause, plan, reconcile and approve, as your roles let you. What you see now needs no sign-in.</p>
      <SignInForm session={session} signedIn={signedIn} cancel={close} />
    </Modal>
  );
}

function Approve({ target, digest, close }: { readonly target: string; readonly digest: string; readonly close: () => void }) {
  const { act } = useDesk();
  return (
    <Modal title={`Approve the plan of ${target}?`} close={close}>
      <form
        onSubmit={closing(() => {
          // Close in any case. The page shows the current plan.
          void act("approve", { target, digest }).then(close);
        })}
      >
        <p>
          Plan <code>{digest.slice(0, 12)}</code> is applied as it is shown. If the target or the commit moves before, there is another
          plan, which is not approved.
        </p>
        <div class="buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Approve
          </button>
        </div>
      </form>
    </Modal>
  );
}

interface AllowProps {
  readonly target: string;
  readonly digest: string;
  readonly flags: readonly string[];
  readonly close: () => void;
}

function Allow({ target, digest, flags, close }: AllowProps) {
  const { act } = useDesk();
  return (
    <Modal title={`Let the plan of ${target} pass?`} close={close}>
      <form
        onSubmit={closing(() => {
          void act("allow", { target, digest, flags }).then(close);
        })}
      >
        <p>
          Plan <code>{digest.slice(0, 12)}</code> is retried once with these overrides:
        </p>
        <ul>
          {flags.map((flag) => (
            <li key={flag}>{allowWords(flag)}</li>
          ))}
        </ul>
        <p>If the target or the commit moves before, there is another plan, for which this does not count.</p>
        <div class="buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Allow once
          </button>
        </div>
      </form>
    </Modal>
  );
}

function Pause({ target, close }: { readonly target: string; readonly close: () => void }) {
  const { act } = useDesk();
  const submit = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    if (await act("pause", { target, reason: data.get("reason"), for: data.get("for") })) close();
  };
  return (
    <Modal title={`Pause ${target}`} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit(event.currentTarget as HTMLFormElement);
        }}
      >
        <p class="dim">No run writes to it while it is paused. Drift is still reported.</p>
        <label>
          Why
          <input name="reason" required maxLength={300} placeholder="shown to other users" />
        </label>
        <label>
          How long
          <select name="for">
            <option value="1h">1 hour</option>
            <option value="4h">4 hours</option>
            <option value="12h">12 hours</option>
            <option value="1d">1 day</option>
            <option value="">until resumed</option>
          </select>
        </label>
        <div class="buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Pause
          </button>
        </div>
      </form>
    </Modal>
  );
}

function Reconcile({ target, drifts, close }: { readonly target: string; readonly drifts: number; readonly close: () => void }) {
  const { act } = useDesk();
  const what = drifts === 0 ? "No manual changes are known. A pending commit is applied." : `${plural(drifts, "drift")} will be put right.`;
  return (
    <Modal title={`Reconcile ${target} now?`} close={close}>
      <form
        onSubmit={closing(() => {
          void act("reconcile", { target }).then((done) => done && close());
        })}
      >
        <p>{what} Guards, pauses, windows and locks hold as always.</p>
        <div class="buttons">
          <button type="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary">
            Reconcile now
          </button>
        </div>
      </form>
    </Modal>
  );
}
