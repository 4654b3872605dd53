import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { showIn, type Zone } from "./time.ts";

/** Milliseconds since 1970, anew every ten seconds: ages need no more. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 10_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** Runs `work` each time the text is another one than before. */
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

/** Inner size of an element, anew whenever it changes. */
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

/** One of some words, kept in this browser; the first where none is. Gives what turns it to the next. */
function useChoice<T extends string>(name: string, words: readonly [T, ...T[]]): readonly [T, () => void] {
  const [chosen, choose] = useState<T>(() => words.find((each) => each === remembered(name)) ?? words[0]);
  useEffect(() => {
    try {
      localStorage.setItem(name, chosen);
    } catch {
      // A browser that keeps nothing begins with the first each time.
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

/** In which zone times are shown, everywhere. */
export function useZone(): readonly [Zone, () => void] {
  const [zone, turn] = useChoice<Zone>("plumbline-zone", ["local", "utc"]);
  // Before anything below is drawn.
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

/** Ctrl K, and ⌘ K, also where somebody is typing, but not while a dialog is open. */
export function usePaletteKey(open: () => void): void {
  // Not after the browser has painted: whoever sees the page may press a key.
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

/** Single keys, where nobody is typing and no dialog is open. */
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
