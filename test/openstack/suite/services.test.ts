import { expect, it } from "vitest";
import { onEachCloud } from "../harness/clouds.js";

onEachCloud("a cloud of the suite", (open) => {
  it("starts with a project without objects", async () => {
    const { user } = await open();
    const project = await user.projectId();
    const networks = await user.list("network", "/v2.0/networks", "networks");
    expect(networks.map(({ name, shared, project_id }) => [name, shared, project_id === project])).toEqual([["public", false, false]]);
    expect(await user.list("compute", "/servers/detail", "servers")).toEqual([]);
  });

  it("shows manual changes", async () => {
    const { user, somebody } = await open();
    await somebody.createNetwork("web");
    await somebody.createSubnet("web", "web-a", "192.0.2.0/24");
    await somebody.describeNetwork("web", "temporary");
    await somebody.setNameServers("web-a", ["192.0.2.53"]);
    expect(await user.named("network", "/v2.0/networks", "networks", "web")).toMatchObject({ description: "temporary" });
    expect(await user.named("network", "/v2.0/subnets", "subnets", "web-a")).toMatchObject({ dns_nameservers: ["192.0.2.53"] });
    await somebody.deleteSubnet("web-a");
    await somebody.deleteNetwork("web");
    expect(await user.named("network", "/v2.0/networks", "networks", "web")).toBeUndefined();
  });

  it("limits every list to the configured maximum, with a link to the next page", async () => {
    const { user, somebody, set } = await open();
    for (const name of ["a", "b", "c"]) await somebody.createNetwork(name);
    await set({ pageMaximum: 2 });
    const page = await user.demand("network", "GET", "/v2.0/networks");
    expect(page.networks).toHaveLength(2);
    expect(await user.list("network", "/v2.0/networks", "networks")).toHaveLength(4);
    expect((await user.demand("compute", "GET", "/flavors")).flavors).toHaveLength(2);
    await set({});
    expect((await user.demand("network", "GET", "/v2.0/networks")).networks).toHaveLength(4);
  });

  it("returns tokens with the configured lifetime", async () => {
    const { user, set } = await open();
    await set({ tokenLifetime: 6 });
    const { token } = await user.ownToken();
    expect(Date.parse(token.expires_at) - Date.parse(token.issued_at)).toBeLessThanOrEqual(7_000);
  });
});
