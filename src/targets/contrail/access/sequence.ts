import type { Network } from "../policy/fabric.js";

/** Position of a policy in the policies of a network. */
export interface Sequence {
  readonly major: number;
  readonly minor: number;
}

/** Returns a free sequence before the policy at an index of a network, or after all policies. Undefined if no number is free. */
export function sequenceBefore({ attached }: Network, index: number): Sequence | undefined {
  const [above, below] = [attached[index - 1], attached[index]].map((each) => each && numbersOf(each.sequence));
  if (above !== undefined) {
    const next = { major: above.major, minor: above.minor + 1 };
    if (below === undefined || isBefore(next, below)) return next;
  }
  if (below === undefined) return { major: 0, minor: 0 };
  const previous = below.minor > 0 ? { major: below.major, minor: below.minor - 1 } : { major: below.major - 1, minor: 0 };
  return previous.major >= 0 && (above === undefined || isBefore(above, previous)) ? previous : undefined;
}

/** Returns a sequence for users: `sequence 0.1`. */
export const sequenceWords = ({ major, minor }: Sequence): string => `sequence ${major}.${minor}`;

function numbersOf(sequence: string): Sequence {
  const [major = 0, minor = 0] = sequence.split(".").map(Number);
  return { major, minor };
}

function isBefore(one: Sequence, other: Sequence): boolean {
  return one.major < other.major || (one.major === other.major && one.minor < other.minor);
}
