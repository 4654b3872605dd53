/** Another order of the same, drawn by `random`. How often a sort asks its comparison differs between versions of V8: a random one would draw otherwise on each. */
export function shuffled<Of>(all: readonly Of[], random: () => number): Of[] {
  return all
    .map((each) => ({ each, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each);
}
