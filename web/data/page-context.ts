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

/** Commands of the current page. The page sets them, and removes them when it closes. */
export const offered: { commands: readonly Command[] } = { commands: [] };

/** State and actions that all parts of the page share. */
export interface Desk {
  readonly known: FleetKnown;
  readonly session: SessionView;
  readonly isStatic: boolean;
  readonly setSession: (session: SessionView) => void;
  readonly turnTheme: () => void;
  /** Switches between the local time zone and UTC. */
  readonly turnZone: () => void;
  readonly open: (dialog: DialogAsked) => void;
  /** Shows a message for some time and announces it to screen readers. */
  readonly say: (words: string, isError?: boolean) => void;
  /** Sends an action that needs a session. Shows the result and returns whether it succeeded. */
  readonly act: (name: string, body: Readonly<Record<string, unknown>>) => Promise<boolean>;
}

export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (desk === undefined) throw new Error("outside of the page");
  return desk;
}
