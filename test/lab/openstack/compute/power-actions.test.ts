import { describe, expect, it } from "vitest";
import { type Answer, lab, login } from "../support.js";

const NO_IMAGE = "7a0f1d11-1111-4111-8111-111111111111";

async function running() {
  const { lab: cloud, clock } = await lab();
  const demo = await login(cloud);
  const [network] = (await demo.network("GET", "/networks?name=private")).json.networks;
  const [image] = (await demo.image("GET", "/v2/images")).json.images;
  const body = { name: "s", imageRef: image.id, flavorRef: "1", networks: [{ uuid: network.id }] };
  const { id } = (await demo.compute("POST", "/v2.1/servers", { server: body })).json.server;
  clock.advance(2000);
  const read = async () => (await demo.compute("GET", `/v2.1/servers/${id}`)).json.server;
  const act = (action: string, given: unknown = null): Promise<Answer> =>
    demo.compute("POST", `/v2.1/servers/${id}/action`, { [action]: given });
  const done = async (action: string, given?: unknown): Promise<string> => {
    const { status } = await act(action, given);
    const { status: word, "OS-EXT-STS:task_state": task } = await read();
    clock.advance(1000);
    return `${status}: ${word} ${task}, ${(await read()).status}`;
  };
  const images = async (): Promise<string[]> =>
    (await demo.image("GET", "/v2/images")).json.images.map(({ name }: { name: string }) => name);
  return { demo, id, read, act, done, images };
}

const refused = ({ status, json }: Answer): string => `${status} ${Object.values<{ message: string }>(json)[0]?.message}`;

describe("a server", () => {
  it("is rebooted, suspended, resumed, shelved, unshelved, rescued and unrescued, which is recorded", async () => {
    const { demo, id, done } = await running();
    expect(await done("reboot", { type: "SOFT" })).toBe("202: REBOOT rebooting, ACTIVE");
    expect(await done("suspend")).toBe("202: ACTIVE suspending, SUSPENDED");
    expect(await done("resume")).toBe("202: SUSPENDED resuming, ACTIVE");
    expect(await done("os-stop")).toBe("202: ACTIVE powering-off, SHUTOFF");
    expect(await done("reboot", { type: "hard" })).toBe("202: SHUTOFF rebooting_hard, ACTIVE");
    expect(await done("rescue", {})).toBe("200: ACTIVE rescuing, RESCUE");
    expect(await done("unrescue")).toBe("202: RESCUE unrescuing, ACTIVE");
    expect(await done("shelve")).toBe("202: ACTIVE shelving, SHELVED_OFFLOADED");
    expect(await done("unshelve")).toBe("202: SHELVED_OFFLOADED unshelving, ACTIVE");
    const { instanceActions } = (await demo.compute("GET", `/v2.1/servers/${id}/os-instance-actions`)).json;
    const actions = instanceActions.map(({ action }: { action: string }) => action);
    expect(actions.join(" ")).toBe("unshelve shelve unrescue rescue reboot stop resume suspend reboot create");
  });

  it("is offloaded only by administrators, and a name that is too long for the image of a shelved server is an internal error", async () => {
    const { demo, id, read, act } = await running();
    expect((await act("shelveOffload")).status).toBe(403);
    await demo.compute("PUT", `/v2.1/servers/${id}`, { server: { name: "x".repeat(250) } });
    expect((await act("shelve")).status).toBe(500);
    expect((await read())["OS-EXT-STS:task_state"]).toBe("shelving");
  });

  it("is refused a number as config_drive, and user data without padding", async () => {
    const { demo } = await running();
    const make = async (more: object) =>
      (await demo.compute("POST", "/v2.1/servers", { server: { name: "t", flavorRef: "1", ...more } })).json;
    expect(JSON.stringify(await make({ config_drive: 1 }))).toContain("config_drive");
    expect(JSON.stringify(await make({ user_data: "abc" }))).toContain("base64");
    expect(JSON.stringify(await make({ user_data: "1!/bin/sh" }))).not.toContain("base64");
  });

  it("has no host and an image of its disk while it is shelved", async () => {
    const { demo, id, read, act, done, images } = await running();
    await done("shelve");
    expect(await read()).toMatchObject({ hostId: "", "OS-EXT-STS:power_state": 4 });
    expect(await images()).toEqual(["s-shelved", "cirros"]);
    expect(refused(await act("os-start"))).toBe(`409 Instance ${id} is not ready`);
    await done("unshelve");
    expect(await images()).toEqual(["cirros"]);
    await done("shelve");
    await demo.compute("DELETE", `/v2.1/servers/${id}`);
    expect((await demo.compute("GET", `/v2.1/servers/${id}`)).json.server["OS-EXT-STS:task_state"]).toBe("deleting");
  });

  it("refuses what its state or Nova's schema forbids", async () => {
    const { id, act, done } = await running();
    for (const action of ["resume", "unshelve", "unrescue"])
      expect(refused(await act(action))).toBe(`409 Cannot '${action}' instance ${id} while it is in vm_state active`);
    expect(refused(await act("reboot", {}))).toContain("400 Invalid input for field/attribute reboot.");
    expect(refused(await act("reboot", { type: "x" }))).toContain("'x' is not one of ['HARD', 'Hard', 'hard', 'SOFT', 'Soft', 'soft']");
    expect(refused(await act("rescue", { adminPass: 1 }))).toContain("400 Invalid input for field/attribute adminPass.");
    expect(refused(await act("rescue", { rescue_image_ref: "x" }))).toContain("'x' is not a 'uuid'");
    expect(refused(await act("rescue", { rescue_image_ref: NO_IMAGE }))).toBe(`400 Requested rescue image '${NO_IMAGE}' is not supported`);
    expect((await act("rescue", { adminPass: "given" })).json).toEqual({ adminPass: "given" });
    expect(refused(await act("os-stop"))).toBe(`409 Cannot 'stop' instance ${id} while it is in task_state rescuing`);
    await done("lock");
    expect(refused(await act("reboot", { type: "HARD" }))).toBe(`409 Instance ${id} is locked`);
  });
});
