import { describe, expect, it } from "vitest";
import { ADDRESS, admin, DEVICE, RULES, VSYS } from "../support.js";

const LONG = "x".repeat(64);
const TAG = `${VSYS}/tag`;
const SERVICE = `${VSYS}/service`;
const SERVER = "/config/shared/log-settings/syslog/entry[@name='p']/server/entry[@name='s1']";

describe("a write is checked immediately", () => {
  it.each([
    [
      ADDRESS,
      `<entry name="${LONG}"><ip-netmask>1.1.1.1</ip-netmask></entry>`,
      `${LONG} can be at most 63 characters, but current length: 64`,
    ],
    [ADDRESS, '<entry name="it\'s"><ip-netmask>1.1.1.1</ip-netmask></entry>', "it's is invalid."],
    [ADDRESS, "<entry name='any'><ip-netmask>1.1.1.1</ip-netmask></entry>", "any is a reserved name"],
    [ADDRESS, "<entry name='a'><ip-netmask>not-an-ip</ip-netmask></entry>", "ip-netmask not-an-ip is an invalid ipv4/v6 address"],
    [ADDRESS, "<entry name='a'><ip-netmask>10.0.0.0/33</ip-netmask></entry>", "is an invalid ipv4/v6 address"],
    [ADDRESS, "<entry name='a'><ip-range>10.0.0.9</ip-range></entry>", "is an invalid ip range"],
    [ADDRESS, "<entry name='a'><ip-wildcard>10.0.0.9</ip-wildcard></entry>", "is an invalid wildcard mask"],
    [ADDRESS, "<entry name='a'><fqdn>a b</fqdn></entry>", "fqdn is invalid"],
    [ADDRESS, "<entry name='a'><bogus>1</bogus></entry>", "bogus unexpected here"],
    [
      ADDRESS,
      `<entry name='a'><description>${"d".repeat(1024)}</description></entry>`,
      "can be at most 1023 characters, but current length: 1024",
    ],
    [SERVICE, "<entry name='s'><protocol><tcp><port>99999</port></tcp></protocol></entry>", "protocol -> tcp -> port is invalid"],
    [SERVICE, "<entry name='s'><protocol><udp><source-port>9-1</source-port></udp></protocol></entry>", "source-port is invalid"],
    [TAG, "<entry name='a[1]'/>", "is invalid"],
    [TAG, "<entry name='a'><color>red</color></entry>", "'red' is not an allowed keyword"],
    [`${RULES}/entry[@name='allow-web']`, "<action>maybe</action>", "'maybe' is not an allowed keyword"],
    [`${RULES}/entry[@name='allow-web']`, "<bogus/>", "bogus unexpected here"],
    [`${RULES}/entry[@name='allow-web']`, "<action><deny/></action>", "action -> deny unexpected here"],
    [`${RULES}/entry[@name='allow-web']/action`, "<deny/>", "action -> deny unexpected here"],
    [RULES, "<entry name='new'><description><b>x</b></description></entry>", "description -> b unexpected here"],
    [ADDRESS, "<entry name='a'><ip-netmask><entry name='b'/></ip-netmask></entry>", "ip-netmask -> b unexpected here"],
    [`${DEVICE}/deviceconfig/system`, "<hostname><x>fw</x></hostname>", "hostname -> x unexpected here"],
    [`${RULES}/entry[@name='intrazone-default']`, "<action>allow</action>", "is a reserved name"],
    [`${VSYS}/zone`, `<entry name='${"z".repeat(32)}'/>`, "can be at most 31 characters, but current length: 32"],
    [`${DEVICE}/deviceconfig/system`, "<hostname>not a host</hostname>", "hostname is invalid"],
    [SERVER, "<port>99999</port>", "p -> server -> s1 -> port value=99999 should be equal to or between 1 and 65535"],
    [
      `${DEVICE}/network/interface/ethernet/entry[@name='ethernet1/1']/layer3/units/entry[@name='ethernet1/1.9']`,
      "<tag>5000</tag>",
      "tag value=5000 should be equal",
    ],
  ])("%s %s", async (xpath, element, text) => {
    const { client } = await admin();
    const reply = await client.config("set", xpath, element);
    expect([reply.status, reply.code]).toEqual(["error", "12"]);
    expect(reply.lines.join(" ")).toContain(text);
    expect(client.state.candidate.pending).toHaveLength(0);
  });

  it("and accepted if devices accept it", async () => {
    const { client } = await admin();
    const good = [
      "ip-netmask>2001:db8::/32",
      "ip-netmask>10.0.0.1/255.255.255.0",
      "ip-range>10.0.0.1-10.0.0.9",
      "ip-wildcard>10.0.0.0/0.0.248.255",
      "fqdn>*.example.net",
    ];
    for (const [index, value] of good.entries()) {
      const tag = value.split(">")[0];
      expect((await client.config("set", `${ADDRESS}/entry[@name='a ${index}']`, `<${value}</${tag}>`)).lines).toEqual([
        "command succeeded",
      ]);
    }
    const service = "<entry name='s'><protocol><tcp><port>80,443,8000-8100</port></tcp></protocol></entry>";
    expect((await client.config("edit", `${SERVICE}/entry[@name='s']`, service)).code).toBe("20");
  });

  it("and a range error is in nested lines, as in new versions", async () => {
    const { client } = await admin();
    expect((await client.config("set", SERVER, "<port>0</port>")).text).toMatch(
      /<msg><line><line><!\[CDATA\[ .*value=0 .*\]\]><\/line><\/line><\/msg>/,
    );
  });

  it("and not checked on a device that is configured so", async () => {
    const { client } = await admin({ behavior: { checks: false } });
    expect((await client.config("set", ADDRESS, "<entry name='a'><bogus>1</bogus></entry>")).code).toBe("20");
    expect((await client.config("delete", `${ADDRESS}/entry[@name='web-1']`)).code).toBe("20");
  });

  it("and stores secrets encrypted, the same text in the same form, and keeps ciphertext", async () => {
    const { client } = await admin();
    const profile = "/config/shared/server-profile/radius/entry[@name='r']/server/entry[@name='s']";
    await client.config("set", profile, "<secret>open sesame</secret>");
    const first = await client.config("get", `${profile}/secret`);
    expect(first.text).not.toContain("sesame");
    expect(first.text).toMatch(/>-AQ==[A-Za-z0-9+/=]+</);
    const stored = />(-AQ==[^<]+)</.exec(first.text)?.[1] ?? "";
    await client.config("edit", `${profile}/secret`, `<secret>${stored}</secret>`);
    expect((await client.config("get", `${profile}/secret`)).text).toContain(stored);
    await client.config("set", "/config/mgt-config/users/entry[@name='eva']", "<phash>secret</phash>");
    expect((await client.config("get", "/config/mgt-config/users/entry[@name='eva']/phash")).text).toMatch(/>\$5\$\w+\$[\w-]+</);
  });
});
