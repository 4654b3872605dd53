import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { showIn, type Zone } from "./time.ts";

/** Returns milliseconds since 1970, updated every ten seconds. Ages need no more. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Runs `work` when the text changes. */
export function useChange(text: string, work: () => void): void {
  const before = useRef(text);
  useLayoutEffect(() => {
    if (before.current !== text) work();
    before.current = text;
  }, [text]);
}

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const changed = () => setMatches(list.matches);
    list.addEventListener("change", changed);
    return () => list.removeEventListener("change", changed);
  }, [query]);
  return matches;
}

/** Returns the inner size of an element and follows its changes. */
export function useSize(element: HTMLElement | null): { readonly width: number; readonly height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (element === null) return;
    const look = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    look();
    return () => observer.disconnect();
  }, [element]);
  return size;
}

/** Returns a value that is stored in this browser, and a function that selects the next one. The default is the first. */
function useChoice<T extends string>(name: string, words: readonly [T, ...T[]]): readonly [T, () => void] {
  const [chosen, choose] = useState<T>(() => words.find((each) => each === remembered(name)) ?? words[0]);
  useEffect(() => {
    try {
      localStorage.setItem(name, chosen);
    } catch {
      // Without browser storage, each visit begins with the first value.
    }
  }, [chosen]);
  const turn = useCallback(() => choose((before) => words[(words.indexOf(before) + 1) % words.length] ?? words[0]), []);
  return [chosen, turn];
}

const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export function useTheme(): readonly [Theme, () => void] {
  const [theme, turn] = useChoice("plumbline-theme", THEMES);
  useLayoutEffect(() => {
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", theme);
  }, [theme]);
  return [theme, turn];
}

/** Returns the time zone of all times on the page. */
export function useZone(): readonly [Zone, () => void] {
  const [zone, turn] = useChoice<Zone>("plumbline-zone", ["local", "utc"]);
  // The zone must be set before the children render.
  showIn(zone);
  return [zone, turn];
}

function remembered(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** The modifier key of shortcuts, as this platform labels it. */
export const MODIFIER = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘" : "Ctrl";

/** Opens the palette with Ctrl K or ⌘ K, also from input fields, but not while a dialog is open. */
export function usePaletteKey(open: () => void): void {
  // A layout effect runs before the first paint, so no early key press is lost.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      if (document.querySelector("dialog[open]") === null) open();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [open]);
}

/** Handles single keys outside input fields and dialogs. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const current = useRef(keys);
  current.current = keys;
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const at = event.target as HTMLElement | null;
      if (at !== null && (at.matches("input, textarea, select") || at.closest("dialog") !== null)) return;
      const action = current.current[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}
