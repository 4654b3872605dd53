import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Command, found } from "../data/commands.ts";
import { FILTERS, fleetLink } from "../data/filter.ts";
import { groupingsOf } from "../data/groups.ts";
import { offered, useDesk } from "../data/page-context.ts";
import { targetLink } from "../data/route.ts";
import { STATE_SIGNS } from "../data/state-labels.ts";

const MOST = 12;

/** Command palette: finds pages and actions by a part of their name. */
export function Palette({ close }: { readonly close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const commands = useCommands();
  const shown = useMemo(() => found(commands, typed, MOST), [commands, typed]);
  const chosen = Math.min(at, shown.length - 1);
  // The dialog opens before the next key, so that no typed character is lost.
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    close();
    command.run();
  };
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setAt((chosen + step + shown.length) % Math.max(1, shown.length));
    else if (event.key === "Enter") run(shown[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Go to or do" onClose={close}>
      <input
        role="combobox"
        aria-label="Go to or do"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={chosen < 0 ? undefined : `command-${chosen}`}
        autocomplete="off"
        spellcheck={false}
        placeholder="A target, a page, something to do …"
        value={typed}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={pressed}
      />
      <div id="commands" class="fits" role="listbox" tabIndex={-1} aria-label="What fits">
        {shown.map((command, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys, and says which line is chosen.
          <div
            key={`${command.more} ${command.words}`}
            id={`command-${i}`}
            role="option"
            aria-selected={i === chosen}
            onClick={() => run(command)}
          >
            <span>{command.words}</span> <span class="dim">{command.more}</span>
          </div>
        ))}
      </div>
      <p class="dim" role="status">
        {shown.length === 0 ? "Nothing fits." : ""}
      </p>
    </dialog>
  );
}

/** Returns commands of the current page, then pages and views, then targets. */
function useCommands(): readonly Command[] {
  const { known, session, isStatic, open, turnTheme, turnZone } = useDesk();
  return useMemo(() => {
    const go = (words: string, hash: string, more = "page"): Command => ({ words, more, run: () => location.assign(hash) });
    const targets = [...known.rows.values()].map(({ name, kind, state }) =>
      go(name, targetLink(name), `${kind} · ${STATE_SIGNS[state].word}`),
    );
    return [
      ...offered.commands,
      go("Fleet", fleetLink({})),
      ...(known.meta.hasAudit ? [go("Audit", "#/audit")] : []),
      ...(session.canSignIn && !isStatic ? [go("Access request", "#/access")] : []),
      ...(isStatic ? [] : [go("History", "#/history")]),
      ...FILTERS.map((only) => go(`Show ${STATE_SIGNS[only].word.toLowerCase()}`, fleetLink({ only }), "view")),
      ...groupingsOf(known.rows.values()).map((by) => go(`Group by ${by}`, fleetLink({ by }), "view")),
      { words: "Change the theme", run: turnTheme },
      { words: "Change the time zone: UTC or here", run: turnZone },
      { words: "Help and keys", run: () => open({ kind: "help" }) },
      ...(session.canSignIn && session.name === "" ? [{ words: "Sign in", run: () => open({ kind: "sign-in" }) }] : []),
      ...targets,
    ];
  }, [known.rows, known.meta.hasAudit, session, isStatic, open, turnTheme, turnZone]);
}
