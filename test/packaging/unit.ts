/** Settings of a systemd unit, in order; a setting may come several times. */
export function settingsOf(unit: string, section: string): (readonly [name: string, value: string])[] {
  const found: (readonly [string, string])[] = [];
  let current = "";
  for (const line of unit.split("\n")) {
    if (line.startsWith("[")) current = line.slice(1, -1);
    const at = line.indexOf("=");
    if (current === section && at > 0 && !line.startsWith("#")) found.push([line.slice(0, at), line.slice(at + 1)]);
  }
  return found;
}
