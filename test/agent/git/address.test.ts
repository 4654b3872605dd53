import { describe, expect, it } from "vitest";
import { gitEnvironment, refusePasswordIn, withoutCredentials } from "../../../src/agent/git/address.js";
import { SecretValue } from "../../../src/secret.js";

describe("addresses of repositories", () => {
  it("must not hold a password", () => {
    expect(() => refusePasswordIn("https://ann:hunter2@git.example.com/net.git")).toThrowError(
      expect.objectContaining({ code: "source-password-in-url" }),
    );
    try {
      refusePasswordIn("https://ann:hunter2@git.example.com/net.git");
    } catch (error) {
      expect(String((error as Error).message)).not.toContain("hunter2");
    }
    for (const url of ["git@host:net.git", "ssh://git@host/net.git", "https://ann@host/x", "/srv/net.git"]) refusePasswordIn(url);
  });

  it("lose what stands before the @ in messages of git", () => {
    const said = "fatal: unable to access 'https://ann:hunter2@host/net.git/': 403, then ssh://git@other/x";
    expect(withoutCredentials(said)).toBe("fatal: unable to access 'https://host/net.git/': 403, then ssh://other/x");
  });

  it("get a password by the environment alone, for the one origin, with traces off", () => {
    const password = new SecretValue("hunter2", "${env:X}");
    const environment = gitEnvironment({ url: "https://git.example.com/net.git", username: "ann", password }, { GIT_TRACE_CURL: "1" });
    expect(environment.GIT_CONFIG_KEY_0).toBe("http.https://git.example.com/.extraHeader");
    expect(environment.GIT_CONFIG_VALUE_0).toBe(`Authorization: Basic ${Buffer.from("ann:hunter2").toString("base64")}`);
    expect(environment).toHaveProperty("GIT_TRACE_CURL", undefined);
    expect(gitEnvironment({ url: "git@host:x", username: undefined, password }, {}).GIT_CONFIG_COUNT).toBeUndefined();
  });
});
