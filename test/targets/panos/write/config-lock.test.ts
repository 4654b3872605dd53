import { describe, expect, it } from "vitest";
import { parsePath } from "../../../../src/core/tree/xpath/xpath.js";
import { failure, result, systemInfo } from "../fixtures.js";
import { writer } from "../open-writer.js";
import { CALLS } from "../table-device.js";

describe("locks", () => {
  const COMMENT = "plumbline/1 netops-edge run1 abc";
  const add = `<request><config-lock><add><comment>${COMMENT}</comment></add></config-lock></request>`;
  const remove = "<request><config-lock><remove></remove></config-lock></request>";
  const held = (comment = COMMENT, scope = "shared") =>
    result(`<config-locks><entry name="netops"><name>${scope}</name><comment>${comment}</comment></entry></config-locks>`);
  const refused = (words: string) => `<response status="error"><msg><line>${words}</line></msg></response>`;

  it("take shared with the own comment, and release it", async () => {
    const { target, calls } = await writer({ [add]: result(""), [remove]: result(""), [CALLS.configLocks]: held() });
    await target.lock(COMMENT, []);
    await target.unlock();
    await target.unlock();
    expect([calls(add), calls(remove)].map((asked) => asked.map(({ params }) => params.get("vsys")))).toEqual([["shared"], ["shared"]]);
    await target.close();
  });

  const DEVICE = "/config/devices/entry[@name='localhost.localdomain']";
  const tagsOf = (part: string) => parsePath(`${DEVICE}/${part}/tag`);
  const TAG = `<response status="success" code="19"><result><tag/></result></response>`;

  it("take each written vsys on a device with several, and none of the others", async () => {
    const { target, calls } = await writer({
      [CALLS.system]: systemInfo({ "multi-vsys": "on" }),
      [add]: result(""),
      "config/get": TAG,
    });
    const [second, third] = [tagsOf("vsys/entry[@name='vsys2']"), tagsOf("vsys/entry[@name='vsys3']")];
    await target.read([second, third], "candidate");
    await target.lock(COMMENT, [second]);
    expect(calls(add).map(({ params }) => params.get("vsys"))).toEqual(["shared", "vsys2"]);
    await target.close();
  });

  it("take each written device group on a manager, once it was seen", async () => {
    const { target, calls } = await writer({
      [add]: result(""),
      "<show><dg-hierarchy></dg-hierarchy></show>": result("<dg-hierarchy/>"),
      "config/get": TAG,
    });
    const [branch, other] = [tagsOf("device-group/entry[@name='branch']"), tagsOf("device-group/entry[@name='plants']")];
    await target.read([branch, other], "candidate");
    await target.lock(COMMENT, [branch, tagsOf("device-group/entry[@name='new']")]);
    expect(calls(add).map(({ params }) => params.get("vsys"))).toEqual(["shared", "branch"]);
    await target.close();
  });

  it("release taken ones if a later one fails", async () => {
    const { target, calls } = await writer({
      [CALLS.system]: systemInfo({ "multi-vsys": "on" }),
      [add]: ({ params }) => (params.get("vsys") === "shared" ? result("") : refused("Config for scope vsys2 is currently locked by ann")),
      [remove]: result(""),
      [CALLS.configLocks]: (_, count) => (count === 1 ? result("<config-locks/>") : held()),
      "config/get": TAG,
    });
    const second = tagsOf("vsys/entry[@name='vsys2']");
    await target.read([second], "candidate");
    expect((await failure(target.lock(COMMENT, [second]))).code).toBe("device-locked");
    expect(calls(remove)).toHaveLength(1);
    await target.close();
  });

  it("distinguish another administrator's lock from another run's", async () => {
    const other = await writer({ [add]: refused("Config for scope shared is currently locked by ann") });
    const error = await failure(other.target.lock(COMMENT, []));
    expect([error.code, error.severity]).toEqual(["device-locked", "refused"]);
    await other.target.close();
    const own = await writer({
      [add]: refused("You already own a config lock for scope shared"),
      [CALLS.configLocks]: held("plumbline/1 netops-edge run0 abc"),
    });
    expect((await failure(own.target.lock(COMMENT, []))).code).toBe("lock-already-ours");
    await own.target.close();
    const same = await writer({ [add]: refused("You already own a config lock for scope shared"), [CALLS.configLocks]: held() });
    await same.target.lock(COMMENT, []);
    await same.target.close();
  });

  it("check whether the run has the lock after a lost reply", async () => {
    const taken = await writer({ [add]: "drop", [CALLS.configLocks]: held() });
    await taken.target.lock(COMMENT, []);
    await taken.target.close();
    const lost = await writer({ [add]: "drop" });
    expect((await failure(lost.target.lock(COMMENT, []))).code).toBe("reply-lost");
    expect(lost.calls(add)).toHaveLength(1);
    await lost.target.close();
  });

  it("treat a lock that ended with the commit as released", async () => {
    const { target, calls } = await writer({
      [add]: result(""),
      [remove]: refused("Config is not currently locked for scope shared"),
      [CALLS.configLocks]: (_, count) => (count < 3 ? held() : result("<config-locks/>")),
    });
    await target.lock(COMMENT, []);
    await target.unlock();
    expect(calls(remove)).toHaveLength(1);
    await target.close();
  });

  it("break only locks with Plumbline's mark, another administrator's by name", async () => {
    const foreign = "<request><config-lock><remove><admin>old</admin></remove></config-lock></request>";
    const { target, calls } = await writer({ [foreign]: result(""), [remove]: result("") });
    const lock = { kind: "config", scope: "vsys1", owner: "old", comment: COMMENT, created: undefined } as const;
    await target.breakLock(lock);
    await target.breakLock({ ...lock, owner: "netops" });
    expect([calls(foreign)[0]?.params.get("vsys"), calls(remove).length]).toEqual(["vsys1", 1]);
    expect((await failure(target.breakLock({ ...lock, comment: "hands off" }))).code).toBe("lock-not-ours");
    await target.close();
  });
});
