import { render } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SessionView } from "../src/agent/page/view.ts";
import { askProvider, embedded, getSession, NOBODY, post, Refused } from "./data/api.ts";
import { type FleetKnown, followFleet } from "./data/fleet.ts";
import { useKeys, usePaletteKey, useTheme, useZone } from "./data/hooks.ts";
import { type Desk, DeskContext, type DialogAsked } from "./data/page-context.ts";
import { lastFleet, type Route, useRoute } from "./data/route.ts";
import { AccessPage } from "./pages/access.tsx";
import { AuditPage } from "./pages/audit.tsx";
import { HistoryPage } from "./pages/history.tsx";
import { Overview } from "./pages/overview.tsx";
import { TargetPage } from "./pages/target.tsx";
import { Banners } from "./parts/banners.tsx";
import { Dialogs } from "./parts/dialogs.tsx";
import { Header } from "./parts/header.tsx";
import { Outside } from "./parts/sign-in.tsx";
import { Empty } from "./parts/small-parts.tsx";

const SHOWN_FOR = 6_000;

function App() {
  const route = useRoute();
  const [known, setKnown] = useState<FleetKnown>();
  const [fault, setFault] = useState<Error>();
  const [asked, setSession] = useState<SessionView>();
  const session = asked ?? NOBODY;
  const [dialog, setDialog] = useState<DialogAsked>();
  const [said, setSaid] = useState<{ words: string; isError: boolean }>();
  const [theme, turnTheme] = useTheme();
  const [zone, turnZone] = useZone();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  useEffect(() => void getSession().then(setSession, setFault), []);
  const sees = asked === undefined || asked.seesNothing ? undefined : asked.name;
  useEffect(() => {
    setKnown(undefined);
    if (sees === undefined) return;
    setFault(undefined);
    return followFleet(setKnown, setFault);
    // The visible targets depend on the user.
  }, [sees]);
  const isOver = session.askAgain || (fault instanceof Refused && fault.code === "session-over");
  useEffect(() => {
    // An open dialog may contain input, so the page does not redirect.
    if (isOver && dialog === undefined) askProvider();
  }, [isOver, dialog]);

  const say = useCallback((words: string, isError = false) => {
    clearTimeout(timer.current);
    setSaid({ words, isError });
    timer.current = setTimeout(() => setSaid(undefined), SHOWN_FOR);
  }, []);
  const act = useCallback(
    async (name: string, body: Readonly<Record<string, unknown>>) => {
      try {
        const { done } = await post<{ done: string }>(name, body, session.csrf);
        say(done);
        return true;
      } catch (error) {
        const isRefused = error instanceof Refused && (error.status === 403 || error.status === 409);
        say(`${isRefused ? "Refused: " : ""}${(error as Error).message}`, true);
        if (error instanceof Refused && error.status === 401) {
          const isProvided = error.code === "session-over";
          setSession({ ...session, name: "", csrf: "", may: [], askAgain: isProvided });
          setDialog(isProvided ? undefined : { kind: "sign-in" });
        }
        return false;
      }
    },
    [session, say],
  );
  useKeys({ "?": () => setDialog({ kind: "help" }) });
  const isKnown = known !== undefined;
  usePaletteKey(useCallback(() => isKnown && setDialog({ kind: "palette" }), [isKnown]));
  usePlace(route, isKnown);

  const desk = useMemo<Desk | undefined>(
    () =>
      known === undefined
        ? undefined
        : { known, session, isStatic: embedded !== undefined, setSession, turnTheme, turnZone, open: setDialog, say, act },
    // All times are rendered again in another time zone.
    [known, session, zone, say, act],
  );
  const isShut = session.seesNothing || (fault instanceof Refused && (fault.status === 401 || fault.status === 403));
  if (desk === undefined || isShut) {
    if (isShut) return <Outside session={session} signedIn={setSession} />;
    return (
      <main class="loading">
        {fault === undefined ? <p>Loading …</p> : <Empty title="The agent does not answer" text={fault.message} />}
      </main>
    );
  }
  return (
    <DeskContext.Provider value={desk}>
      <Header route={route} theme={theme} />
      <Banners />
      <Page route={route} />
      {/* The browser reports the close of a dialog with a delay. Another dialog may be open by then. */}
      <Dialogs asked={dialog} close={() => setDialog((open) => (open === dialog ? undefined : open))} />
      <div
        class={`toast ${said?.isError === true ? "is-failed" : ""} ${said === undefined ? "is-gone" : ""}`}
        role="status"
        aria-live="polite"
      >
        {said?.words}
      </div>
    </DeskContext.Provider>
  );
}

function Page({ route }: { readonly route: Route }) {
  switch (route.page) {
    case "fleet":
      return <Overview query={route.query} />;
    case "target":
      return <TargetPage key={route.target} name={route.target} />;
    case "audit":
      return <AuditPage />;
    case "access":
      return <AccessPage query={route.query} />;
    case "history":
      return <HistoryPage query={route.query} />;
  }
}

/** Moves the focus to the heading of a new page, for keyboard and screen reader users. */
function usePlace(route: Route, isLoaded: boolean): void {
  const place = route.page === "target" ? `target ${route.target}` : route.page;
  const before = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (!isLoaded) return;
    document.title = route.page === "target" ? `${route.target} – Plumbline` : TITLES[route.page];
    if (before.current !== undefined && before.current !== place) document.querySelector<HTMLElement>("h1")?.focus();
    before.current = place;
  }, [place, isLoaded]);
  useKeys(route.page === "fleet" ? {} : { Escape: () => location.assign(lastFleet.hash), "/": () => location.assign(lastFleet.hash) });
}

const TITLES = {
  fleet: "Fleet – Plumbline",
  access: "Access request – Plumbline",
  audit: "Audit – Plumbline",
  history: "History – Plumbline",
} as const;

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
