/** A subnet as one of the two services shows it. */
export interface SubnetView {
  /** Lower case, with dashes. */
  readonly id: string;
  readonly name: string;
  /** Network address and length. */
  readonly cidr: string;
  /** Undefined for none. */
  readonly gateway: string | undefined;
  readonly dhcp: boolean;
  /** Name servers in order. */
  readonly dns: readonly string[];
  /** `start-end`; undefined where none is explicit and the service works them out. */
  readonly pools: readonly string[] | undefined;
  /** `destination via next hop`. */
  readonly routes: readonly string[];
}

/** A network as one of the two services shows it. */
export interface NetworkView {
  /** Lower case, with dashes: the same in both services. */
  readonly id: string;
  readonly name: string;
  /** Of the project, without dashes. */
  readonly project: string;
  readonly shared: boolean;
  readonly external: boolean;
  readonly up: boolean;
  /** Made by the platform for itself: not expected on the other side. */
  readonly isSystem: boolean;
  readonly subnets: readonly SubnetView[];
}

/** What one service knows of networks, in the terms that both share (docs/devices/contrail.md#joins). */
export interface NetworksView {
  readonly networks: readonly NetworkView[];
  /** Projects whose networks the service shows us, without dashes; all of them where undefined. */
  readonly projects: ReadonlySet<string> | undefined;
  /** Subnet id to `<network id> <cidr>`: the table by which the network service finds a subnet; undefined where it has none. */
  readonly lookup: ReadonlyMap<string, string> | undefined;
}

/** A reader that can say what networks there are. */
export interface NetworksReader {
  networksView(): Promise<NetworksView>;
  readonly hiddenNetworks?: HiddenNetworks;
}

/** Of a service where a network that is hidden does not look like one that is gone. */
export interface HiddenNetworks {
  /** Why networks that the view does not have are there all the same, by id. */
  reasons(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** A network, subnet or project id in the one spelling that both services can be brought to. */
export function plainId(id: string): string {
  return id.replaceAll("-", "").toLowerCase();
}
