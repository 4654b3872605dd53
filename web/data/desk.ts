import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { SessionView } from "../../src/agent/page/view.ts";
import type { Command } from "./commands.ts";
import type { FleetKnown } from "./fleet.ts";

export type DialogAsked =
  | { readonly kind: "sign-in" }
  | { readonly kind: "help" }
  | { readonly kind: "palette" }
  | { readonly kind: "approve"; readonly target: string; readonly digest: string }
  | { readonly kind: "allow"; readonly target: string; readonly digest: string; readonly flags: readonly string[] }
  | { readonly kind: "pause"; readonly target: string }
  | { readonly kind: "reconcile"; readonly target: string; readonly drifts: number };

/** What the page that is shown offers to do; it says so itself, and takes it back when it goes. */
export const offered: { commands: readonly Command[] } = { commands: [] };

/** What every part of the page shares. */
export interface Desk {
  readonly known: FleetKnown;
  readonly session: SessionView;
  readonly isStatic: boolean;
  readonly setSession: (session: SessionView) => void;
  readonly turnTheme: () => void;
  /** Between the reader's own time zone and UTC. */
  readonly turnZone: () => void;
  readonly open: (dialog: DialogAsked) => void;
  /** Shown for a while, and read aloud. */
  readonly say: (words: string, isError?: boolean) => void;
  /** Asks the agent for something that needs a session; says how it came out, and gives whether it did. */
  readonly act: (name: string, body: Readonly<Record<string, unknown>>) => Promise<boolean>;
}

export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (desk === undefined) throw new Error("outside of the page");
  return desk;
}
