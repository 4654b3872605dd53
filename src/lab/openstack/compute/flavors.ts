/** A flavor: `ram` and `swap` in MB, `disk` and `ephemeral` in GB. */
export interface Flavor {
  readonly id: string;
  readonly name: string;
  readonly ram: number;
  readonly disk: number;
  readonly swap: number;
  readonly ephemeral: number;
  readonly vcpus: number;
  readonly rxtxFactor: number;
  readonly isPublic: boolean;
  readonly description: string | null;
  readonly extraSpecs: Readonly<Record<string, string>>;
}

/** A flavor of the usual kind. */
export function flavor(id: string, name: string, ram: number, disk: number, vcpus: number, more: Partial<Flavor> = {}): Flavor {
  return { id, name, ram, disk, vcpus, swap: 0, ephemeral: 0, rxtxFactor: 1, isPublic: true, description: null, extraSpecs: {}, ...more };
}
