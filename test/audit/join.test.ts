import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinViews } from "../../src/audit/join.js";
import type { NetworksView, NetworkView, SubnetView } from "../../src/engine/networks-view.js";
import { type AuditFinding, findingText } from "../../src/outcome/audit-finding.js";

const ID = "6f1c0000-0000-4000-8000-000000000001";
const OTHER = "6f1c0000-0000-4000-8000-000000000002";
const SUBNET = "5e000000-0000-4000-8000-000000000001";
const REKEYED = "5e000000-0000-4000-8000-000000000002";

const subnet = (facts: Partial<SubnetView> = {}): SubnetView => ({
  id: SUBNET,
  name: "web-a",
  cidr: "10.0.0.0/24",
  gateway: "10.0.0.1",
  dhcp: true,
  dns: [],
  pools: undefined,
  routes: [],
  ...facts,
});

const network = (facts: Partial<NetworkView> = {}): NetworkView => ({
  id: ID,
  name: "web",
  project: "p1",
  shared: false,
  external: false,
  up: true,
  isSystem: false,
  subnets: [subnet()],
  ...facts,
});

const view = (networks: readonly NetworkView[], facts: Partial<NetworksView> = {}): NetworksView => ({
  networks,
  projects: undefined,
  lookup: undefined,
  ...facts,
});

const found = (service: NetworksView, controller: NetworksView): string[] =>
  joinViews(service, controller).findings.map((finding) => `${finding.kind} ${finding.what} ${finding.field ?? ""}`.trim());

describe("joining two views", () => {
  it("finds no difference between equal views, in any spelling", () => {
    const there = network({
      id: ID.toUpperCase(),
      subnets: [subnet({ id: SUBNET.replaceAll("-", ""), routes: ["b via 2", "a via 1"], pools: undefined })],
    });
    const here = network({ subnets: [subnet({ routes: ["a via 1", "b via 2"], pools: ["10.0.0.2-10.0.0.254"] })] });
    expect(found(view([here]), view([there]))).toEqual([]);
  });

  it.each<[string, Partial<NetworkView>]>([
    ["name", { name: "other" }],
    ["project", { project: "p2" }],
    ["shared", { shared: true }],
    ["external", { external: true }],
    ["admin state up", { up: false }],
  ])("tells a network's %s apart", (field, facts) => {
    expect(found(view([network()]), view([network(facts)]))).toEqual([`differs network ${field}`]);
  });

  it.each<[string, Partial<SubnetView>]>([
    ["cidr", { cidr: "10.0.0.0/25" }],
    ["gateway", { gateway: undefined }],
    ["dhcp", { dhcp: false }],
    ["name servers", { dns: ["192.0.2.53"] }],
    ["host routes", { routes: ["10.9.0.0/16 via 10.0.0.9"] }],
  ])("tells a subnet's %s apart", (field, facts) => {
    expect(found(view([network()]), view([network({ subnets: [subnet(facts)] })]))).toEqual([`differs subnet ${field}`]);
  });

  it("compares pools only if the controller has explicit ones", () => {
    const here = network({ subnets: [subnet({ pools: ["10.0.0.10-10.0.0.20"] })] });
    expect(found(view([here]), view([network()]))).toEqual([]);
    expect(found(view([here]), view([network({ subnets: [subnet({ pools: ["10.0.0.10-10.0.0.99"] })] })]))).toEqual([
      "differs subnet allocation pools",
    ]);
  });

  it("matches a re-keyed subnet by its network and CIDR", () => {
    const result = joinViews(view([network()]), view([network({ subnets: [subnet({ id: REKEYED })] })]));
    expect(result.findings.map(({ kind }) => kind)).toEqual(["re-keyed"]);
    expect(findingText(result.findings[0] as AuditFinding, { networkService: "cloud", controller: "fabric" })).toBe(
      `was re-keyed: ${SUBNET} in cloud, ${REKEYED} in fabric`,
    );
  });

  it("reports objects that exist on only one side", () => {
    expect(found(view([network()]), view([]))).toEqual(["only-in-network-service network"]);
    expect(found(view([]), view([network()]))).toEqual(["only-in-controller network"]);
    expect(found(view([network({ subnets: [] })]), view([network()]))).toEqual(["only-in-controller subnet"]);
    expect(found(view([network()]), view([network({ subnets: [] })]))).toEqual(["only-in-network-service subnet"]);
  });

  it("ignores system networks, and counts networks of hidden projects", () => {
    expect(found(view([]), view([network({ isSystem: true })]))).toEqual([]);
    const result = joinViews(
      view([], { projects: new Set(["p1"]) }),
      view([network({ project: "p2" }), network({ id: OTHER, project: "p1" })]),
    );
    expect(result.outside).toBe(1);
    expect(result.findings.map(({ id }) => id)).toEqual([OTHER]);
  });

  it("compares each subnet with the lookup table, if there is one", () => {
    const right = new Map([[SUBNET, `${ID} 10.0.0.0/24`]]);
    expect(found(view([network()]), view([network()], { lookup: right }))).toEqual([]);
    expect(found(view([network()]), view([network()], { lookup: new Map() }))).toEqual(["lookup-row subnet"]);
    expect(found(view([network()]), view([network()], { lookup: new Map([[SUBNET, `${OTHER} 10.0.0.0/24`]]) }))).toEqual([
      "lookup-row subnet",
    ]);
  });

  it("finds no difference between a view and itself, and one finding for a network that one side lacks", () => {
    const networks = fc.uniqueArray(fc.uuid(), { maxLength: 8 }).map((ids) => ids.map((id) => network({ id, subnets: [subnet({ id })] })));
    fc.assert(
      fc.property(networks, fc.nat(), (all, at) => {
        expect(joinViews(view(all), view([...all].reverse())).findings).toEqual([]);
        const rest = all.filter((_, index) => index !== at % Math.max(1, all.length));
        expect(joinViews(view(all), view(rest)).findings).toHaveLength(all.length - rest.length);
      }),
    );
  });
});
