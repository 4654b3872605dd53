import { describe, expect, it } from "vitest";
import { gitEnvironment, refusePasswordIn } from "../../../src/agent/git/address.js";
import { redactUrls } from "../../../src/core/redact-urls.js";
import { SecretValue } from "../../../src/core/secret.js";

describe("addresses of repositories", () => {
  it("must not contain a password", () => {
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

  it("are printed without user information in messages of git", () => {
    const said = "fatal: unable to access 'https://ann:hunter2@host/net.git/': 403, then ssh://git@other/x";
    expect(redactUrls(said)).toBe("fatal: unable to access 'https://host/net.git/': 403, then ssh://other/x");
  });

  it("get a password only through the environment, next to other settings, with traces off", () => {
    const password = new SecretValue("hunter2\n", "${env:X}");
    const before = { GIT_TRACE_CURL: "1", GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "http.sslCAInfo", GIT_CONFIG_VALUE_0: "ca.pem" };
    const environment = gitEnvironment({ url: "https://git.example.com/net.git", username: "ann", password }, before);
    expect(environment).toMatchObject({ PLUMBLINE_LOGIN_NAME: "ann", PLUMBLINE_LOGIN_WORD: "hunter2", GIT_CONFIG_COUNT: "3" });
    expect(environment).not.toHaveProperty("GIT_CONFIG_KEY_0");
    expect(environment.GIT_CONFIG_KEY_2).toBe("credential.https://git.example.com.helper");
    expect(environment).toHaveProperty("GIT_TRACE_CURL", undefined);
    const named = gitEnvironment({ url: "https://bob@git.example.com/net.git", username: undefined, password }, {});
    expect(named.PLUMBLINE_LOGIN_NAME).toBe("bob");
    expect(gitEnvironment({ url: "git@host:x", username: undefined, password }, {}).GIT_CONFIG_COUNT).toBeUndefined();
  });

  it("refuse a password that git cannot send", () => {
    const password = new SecretValue("hunter2\nhunter3", "${file:token}");
    const login = (): unknown => gitEnvironment({ url: "https://host/x", username: undefined, password }, {});
    expect(login).toThrowError(
      expect.objectContaining({ code: "source-password-malformed", message: expect.not.stringContaining("hunter") }),
    );
  });

  it("do not override a configured ssh command", () => {
    const access = { url: "git@host:x", username: undefined, password: undefined };
    expect(gitEnvironment(access, {}).GIT_SSH_COMMAND).toContain("BatchMode");
    expect(gitEnvironment(access, {}, "ssh -i deploy-key")).not.toHaveProperty("GIT_SSH_COMMAND");
    for (const name of ["GIT_SSH_COMMAND", "GIT_SSH"])
      expect(gitEnvironment(access, { [name]: "x" })).not.toHaveProperty("GIT_SSH_COMMAND");
  });
});
