import { describe, expect, it } from "vitest";
import type { TokenInfo } from "../../../../src/lab/contrail/access/token.js";
import { call, startLab } from "../support.js";

const DEMO = "612f1761-6399-40dd-a674-e2f446018c13";
const TOKENS: Readonly<Record<string, TokenInfo>> = {
  admin: { user: "root", roles: ["admin"], projectId: DEMO, projectName: "demo" },
  member: { user: "alice", roles: ["member"], projectId: DEMO.replaceAll("-", ""), projectName: "demo" },
  stranger: { user: "bob", roles: ["member"], projectId: "f".repeat(32), projectName: "other" },
};
const checkToken = (token: string): Promise<TokenInfo | undefined> => Promise.resolve(TOKENS[token]);
const as = (token: string) => ({ "X-Auth-Token": token });

describe("aaa-mode cloud-admin", () => {
  it("requires a token, with keystone's text, everywhere except at the root", async () => {
    const lab = await startLab({ aaaMode: "cloud-admin", checkToken });
    expect((await call(lab, "GET", "/")).status).toBe(200);
    for (const headers of [{}, as("expired")]) {
      const { status, json, headers: answered } = await call(lab, "GET", "/virtual-networks", undefined, headers);
      expect([status, answered.get("content-type")]).toEqual([401, "application/json"]);
      expect(answered.get("www-authenticate")).toContain("Keystone uri=");
      expect(json.error).toMatchObject({ code: 401, title: "Unauthorized" });
    }
  });

  it("accepts administrators, and refuses others in plain text", async () => {
    const lab = await startLab({ aaaMode: "cloud-admin", checkToken });
    expect((await call(lab, "GET", "/virtual-networks", undefined, as("admin"))).status).toBe(200);
    const { status, headers, text } = await call(lab, "GET", "/virtual-networks", undefined, as("member"));
    expect([status, headers.get("content-type"), text]).toEqual([403, "text/plain", "403 Permission Denied"]);
  });
});

describe("aaa-mode rbac", () => {
  async function openedLab() {
    const lab = await startLab({ aaaMode: "rbac", checkToken });
    const admin = (path: string, body: object) => call(lab, "POST", path, body as never, as("admin"));
    await admin("/projects", { project: { fq_name: ["default-domain", "demo"], parent_type: "domain", uuid: DEMO } });
    await admin("/projects", {
      project: { fq_name: ["default-domain", "other"], parent_type: "domain", uuid: TOKENS.stranger?.projectId },
    });
    const rule = { rule_object: "virtual-network", rule_field: "", rule_perms: [{ role_name: "member", role_crud: "CRUD" }] };
    const list = { fq_name: ["default-domain", "acl"], parent_type: "domain", api_access_list_entries: { rbac_rule: [rule] } };
    await admin("/api-access-lists", { "api-access-list": list });
    return lab;
  }
  const secret = { "virtual-network": { fq_name: ["default-domain", "demo", "secret"], parent_type: "project" } };

  it("omits unreadable objects from lists, though their names are taken", async () => {
    const lab = await openedLab();
    expect((await call(lab, "POST", "/virtual-networks", secret, as("member"))).status).toBe(200);
    const seen = async (token: string) => JSON.stringify((await call(lab, "GET", "/virtual-networks", undefined, as(token))).json);
    expect(await seen("member")).toContain("secret");
    expect(await seen("stranger")).toBe('{"virtual-networks":[]}');
    expect((await call(lab, "POST", "/virtual-networks", secret, as("stranger"))).status).toBe(403);
    expect((await call(lab, "POST", "/virtual-networks", secret, as("admin"))).status).toBe(409);
  });

  it("refuses reads and writes of another project's object, and shows a shared one", async () => {
    const lab = await openedLab();
    const { json } = await call(lab, "POST", "/virtual-networks", secret, as("member"));
    const path = `/virtual-network/${String((json["virtual-network"] as { uuid: string }).uuid)}`;
    const rename = { "virtual-network": { display_name: "x" } };
    expect((await call(lab, "GET", path, undefined, as("stranger"))).status).toBe(403);
    expect((await call(lab, "PUT", path, rename, as("stranger"))).status).toBe(403);
    expect((await call(lab, "DELETE", path, undefined, as("stranger"))).status).toBe(403);
    const share = { perms2: { owner: DEMO.replaceAll("-", ""), share: [{ tenant: `tenant:${"f".repeat(32)}`, tenant_access: 4 }] } };
    await call(lab, "PUT", path, { "virtual-network": share }, as("member"));
    expect((await call(lab, "GET", path, undefined, as("stranger"))).status).toBe(200);
    expect((await call(lab, "PUT", path, rename, as("stranger"))).status).toBe(403);
  });

  it("returns 409 for a create of a name that a list of its own project hid", async () => {
    const lab = await openedLab();
    const hidden = { "virtual-network": { ...secret["virtual-network"], perms2: { owner: "e".repeat(32) } } };
    await call(lab, "POST", "/virtual-networks", hidden, as("admin"));
    expect((await call(lab, "GET", "/virtual-networks?parent_fq_name_str=default-domain:demo", undefined, as("member"))).json).toEqual({
      "virtual-networks": [],
    });
    const { status, text } = await call(lab, "POST", "/virtual-networks", secret, as("member"));
    expect([status, text.startsWith("['default-domain', 'demo', 'secret'] already exists with uuid: ")]).toEqual([409, true]);
  });

  it("refuses requests that no access list allows, with role and project", async () => {
    const lab = await openedLab();
    const { status, text } = await call(lab, "GET", "/network-policys", undefined, as("member"));
    expect([status, text]).toEqual([403, "Permission Denied for alice as ['member'] to R network-policy in demo"]);
    expect((await call(lab, "POST", "/fqname-to-id", { type: "project", fq_name: ["default-domain", "demo"] }, as("member"))).status).toBe(
      200,
    );
  });

  it("is switched on and off by an administrator", async () => {
    const lab = await openedLab();
    expect((await call(lab, "PUT", "/aaa-mode", { "aaa-mode": "frob" }, as("admin"))).status).toBe(400);
    expect((await call(lab, "PUT", "/aaa-mode", { "aaa-mode": "no-auth" }, as("admin"))).json).toEqual({ "aaa-mode": "no-auth" });
    expect((await call(lab, "GET", "/network-policys")).status).toBe(200);
  });
});
