import { render } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { SessionView } from "../src/agent/page/view.ts";
import { embedded, getSession, post, Refused } from "./data/api.ts";
import { type Desk, DeskContext, type DialogAsked } from "./data/desk.ts";
import { type FleetKnown, followFleet } from "./data/fleet.ts";
import { useKeys, useTheme } from "./data/hooks.ts";
import { lastFleet, type Route, useRoute } from "./data/route.ts";
import { AuditPage } from "./pages/audit.tsx";
import { HistoryPage } from "./pages/history.tsx";
import { Overview } from "./pages/overview.tsx";
import { TargetPage } from "./pages/target.tsx";
import { Banners } from "./parts/banners.tsx";
import { Empty } from "./parts/bits.tsx";
import { Dialogs } from "./parts/dialogs.tsx";
import { Header } from "./parts/header.tsx";

const NOBODY: SessionView = { name: "", csrf: "", canSignIn: false };
const SHOWN_FOR = 6_000;

function App() {
  const route = useRoute();
  const [known, setKnown] = useState<FleetKnown>();
  const [fault, setFault] = useState("");
  const [session, setSession] = useState(NOBODY);
  const [dialog, setDialog] = useState<DialogAsked>();
  const [said, setSaid] = useState<{ words: string; isError: boolean }>();
  const [theme, turnTheme] = useTheme();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  useEffect(() => followFleet(setKnown, (error) => setFault(error.message)), []);
  useEffect(() => void getSession().then(setSession, () => undefined), []);

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
        say((error as Error).message, true);
        if (error instanceof Refused && error.code === "signed-out") {
          setSession({ ...session, name: "", csrf: "" });
          setDialog({ kind: "sign-in" });
        }
        return false;
      }
    },
    [session, say],
  );
  useKeys({ "?": () => setDialog({ kind: "help" }) });
  usePlace(route, known !== undefined);

  const desk = useMemo<Desk | undefined>(
    () => (known === undefined ? undefined : { known, session, isStatic: embedded !== undefined, setSession, open: setDialog, say, act }),
    [known, session, say, act],
  );
  if (desk === undefined) {
    return <main class="loading">{fault === "" ? <p>Loading …</p> : <Empty title="The agent does not answer" text={fault} />}</main>;
  }
  return (
    <DeskContext.Provider value={desk}>
      <Header route={route} theme={theme} turnTheme={turnTheme} />
      <Banners />
      <Page route={route} />
      <Dialogs asked={dialog} close={() => setDialog(undefined)} />
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
    case "history":
      return <HistoryPage />;
  }
}

/** A new page begins at its heading: for the eye, the keyboard and the screen reader. */
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

const TITLES = { fleet: "Fleet – Plumbline", audit: "Audit – Plumbline", history: "History – Plumbline" } as const;

const root = document.getElementById("app");
if (root !== null) render(<App />, root);
