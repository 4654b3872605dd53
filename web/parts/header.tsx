import { getSession } from "../data/api.ts";
import { MODIFIER, type Theme, useNow } from "../data/hooks.ts";
import { useDesk } from "../data/page-context.ts";
import { lastFleet, type Route } from "../data/route.ts";
import { zoneText } from "../data/time.ts";

const THEME_WORDS: Readonly<Record<Theme, string>> = { auto: "as the system", light: "light", dark: "dark" };
const LINK_WORDS = { connecting: "connecting", live: "live", lost: "no connection", static: "report" } as const;

export function Header({ route, theme }: { readonly route: Route; readonly theme: Theme }) {
  const { known, session, isStatic, open, act, setSession, turnTheme, turnZone } = useDesk();
  const zone = zoneText(useNow() / 1000);
  const { link, meta } = known;
  const current = (page: Route["page"]) => (route.page === page ? "page" : undefined);
  const signOut = async () => {
    if (await act("logout", {})) setSession(await getSession());
  };
  const hasAccess = session.canSignIn && !isStatic;
  return (
    <header class="top">
      <a class="brand" href={lastFleet.hash}>
        <svg aria-hidden="true" viewBox="0 0 32 32" width="22" height="22">
          <rect width="32" height="32" rx="7" class="brand-back" />
          <path d="M16 4v11" class="brand-line" />
          <path d="M11 15h10l-2 6-3 7-3-7z" class="brand-bob" />
        </svg>
        Plumbline
      </a>
      <nav aria-label="Pages">
        <a href={lastFleet.hash} aria-current={current("fleet")}>
          Fleet
        </a>
        {meta.hasAudit && (
          <a href="#/audit" aria-current={current("audit")}>
            Audit
          </a>
        )}
        {hasAccess && (
          <a href="#/access" aria-current={current("access")}>
            Access
          </a>
        )}
        {!isStatic && (
          <a href="#/history" aria-current={current("history")}>
            History
          </a>
        )}
      </nav>
      <div class="top-end">
        <span class={`link is-${link}`} role="status" title={meta.commit === "" ? "" : `commit ${meta.commit}`}>
          <span aria-hidden="true" class="dot" />
          {LINK_WORDS[link]}
        </span>
        <button type="button" class="quiet zone" onClick={turnZone} title="The zone of all times. Change it.">
          <span class="unseen">Times are </span>
          {zone}
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => open({ kind: "palette" })}
          aria-label={`Go to or do, ${MODIFIER} K`}
          title={`Go to or do (${MODIFIER} K)`}
        >
          <span aria-hidden="true">{MODIFIER} K</span>
        </button>
        <button
          type="button"
          class="quiet"
          onClick={turnTheme}
          aria-label={`Theme: ${THEME_WORDS[theme]}. Change it.`}
          title={`Theme: ${THEME_WORDS[theme]}`}
        >
          <span aria-hidden="true">{theme === "light" ? "☀" : theme === "dark" ? "☾" : "◐"}</span>
        </button>
        <button type="button" class="quiet" onClick={() => open({ kind: "help" })} aria-label="Help and keys" title="Help and keys (?)">
          <span aria-hidden="true">?</span>
        </button>
        {session.canSignIn && session.name === "" && (
          <button type="button" onClick={() => open({ kind: "sign-in" })}>
            Sign in
          </button>
        )}
        {session.name !== "" && (
          <button type="button" onClick={() => void signOut()} title="Sign out">
            <span class="who-am-i">{session.name} · </span>sign out
          </button>
        )}
      </div>
    </header>
  );
}
