/** A subnet as one of the two services shows it. */
export interface SubnetView {
  /** Lower case, with dashes. */
  readonly id: string;
  readonly name: string;
  /** Network address and length. */
  readonly cidr: string;
  /** Undefined if there is no gateway. */
  readonly gateway: string | undefined;
  readonly dhcp: boolean;
  /** Name servers in order. */
  readonly dns: readonly string[];
  /** `start-end`. Undefined if the service computes the pools. */
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

/** The networks of one service, in the terms that both share (docs/contributing/devices/contrail.md#joins). */
export interface NetworksView {
  readonly networks: readonly NetworkView[];
  /** Projects whose networks our account can see, without dashes. Undefined: all projects. */
  readonly projects: ReadonlySet<string> | undefined;
  /** Subnet id to `<network id> <cidr>`: the table that the network service uses to find a subnet. Undefined if there is no such table. */
  readonly lookup: ReadonlyMap<string, string> | undefined;
}

/** A reader that can list networks. */
export interface NetworksReader {
  networksView(): Promise<NetworksView>;
  readonly hiddenNetworks?: HiddenNetworks;
}

/** Implemented by a service that can distinguish hidden networks from deleted ones. */
export interface HiddenNetworks {
  /** Why networks that the view does not have are there all the same, by id. */
  reasons(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** Normalises a network, subnet or project id. */
export function plainId(id: string): string {
  return id.replaceAll("-", "").toLowerCase();
}
