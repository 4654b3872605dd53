/** The same items in another order, drawn by `random`. A random comparison in `sort` would depend on the version of V8. */
export function shuffled<Of>(all: readonly Of[], random: () => number): Of[] {
  return all
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}
