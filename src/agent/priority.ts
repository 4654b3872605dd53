/**
 * Order of due visits: the lowest number is first. The numbers are job priorities of graphile-worker. Jobs of older versions have the
 * priority 0.
 */
export const PRIORITY = { person: -4, commit: -3, takeover: -2, retry: -1, timer: 0 } as const;

export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

/** Returns the priority of a visit with this trigger. `plan` and `reconcile` are requests of a user. */
export function priorityOf(trigger: string): Priority {
  switch (trigger) {
    case "command":
    case "plan":
    case "reconcile":
      return PRIORITY.person;
    case "git":
    case "webhook":
      return PRIORITY.commit;
    case "start":
      return PRIORITY.takeover;
    default:
      return PRIORITY.timer;
  }
}
