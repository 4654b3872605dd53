import type { PanosOptions } from "../../../src/targets/panos/dependencies.js";
import type { PanosTargetConfiguration } from "../../../src/targets/panos/settings.js";
import { openPanosWriter } from "../../../src/targets/panos/writer.js";
import { handsOn } from "../hands-on.js";
import { configuration, dependencies, result } from "./fixtures.js";
import { type Asked, scriptedDevice } from "./scripted-device.js";
import { CALLS, QUIET, type Table, tableScript } from "./table-device.js";

const self = result("<admins><entry><admin>other</admin></entry><entry><self/><admin>netops</admin></entry></admins>");

/** A writer for a quiet device of its own that also knows the calls of `table`. */
export async function writer(table: Table = {}, overrides: Partial<PanosTargetConfiguration> = {}, options: PanosOptions = {}) {
  const device = await scriptedDevice(tableScript({ ...QUIET, [CALLS.admins]: self, ...table }));
  const injected = dependencies();
  const target = handsOn(openPanosWriter(configuration(device.url, overrides), injected, options));
  const calls = (call: string): Asked[] => device.asked.filter((asked) => asked.call === call);
  return { device, injected, target, calls };
}
