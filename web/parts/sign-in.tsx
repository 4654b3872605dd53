import { useState } from "preact/hooks";
import type { SessionView } from "../../src/agent/page/view.ts";
import { askProvider, NOBODY, post } from "../data/api.ts";

interface SignInProps {
  readonly session: SessionView;
  readonly signedIn: (session: SessionView) => void;
}

/** Sign-in with the provider, a token, or either. */
export function SignInForm({ session, signedIn, cancel }: SignInProps & { readonly cancel?: () => void }) {
  const { provider, takes } = session;
  const [wrong, setWrong] = useState("");
  const submit = async (form: HTMLFormElement) => {
    const data = new FormData(form);
    try {
      signedIn(await post<SessionView>("login", { name: data.get("name"), token: data.get("token") }, ""));
    } catch (error) {
      setWrong((error as Error).message);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget as HTMLFormElement);
      }}
    >
      {provider !== "" && (
        <button type="button" class={takes.token ? "" : "primary"} onClick={askProvider}>
          Sign in with {provider}
        </button>
      )}
      {takes.name && (
        <label>
          Your name
          <input name="name" maxLength={40} autoComplete="username" placeholder="only with the shared token" />
        </label>
      )}
      {takes.token && (
        <label>
          Token
          <input name="token" type="password" required autoComplete="current-password" />
        </label>
      )}
      <p class="wrong" role="alert">
        {wrong}
      </p>
      <div class="buttons">
        {cancel !== undefined && (
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        )}
        {takes.token && (
          <button type="submit" class="primary">
            Sign in
          </button>
        )}
      </div>
    </form>
  );
}

/** Replaces the page for users who may see no target. */
export function Outside({ session, signedIn }: SignInProps) {
  const signOut = async () => {
    await post("logout", {}, session.csrf);
    signedIn({ ...session, ...NOBODY, canSignIn: session.canSignIn, takes: session.takes, provider: session.provider, seesNothing: true });
  };
  return (
    <main class="outside">
      <h1 tabIndex={-1}>Plumbline</h1>
      {session.name === "" ? (
        <>
          <p class="dim">{session.canSignIn ? "Sign in to see the fleet." : "Sign-in is not configured, and visitors have no access."}</p>
          {session.canSignIn && <SignInForm session={session} signedIn={signedIn} />}
        </>
      ) : (
        <>
          <p role="alert">
            You are signed in as <b>{session.name}</b>, but no right lets you see a target. Ask the administrator of{" "}
            <code>agent.page.rights</code>.
          </p>
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        </>
      )}
    </main>
  );
}
