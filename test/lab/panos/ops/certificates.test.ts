import "reflect-metadata";
import { X509Certificate } from "node:crypto";
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { describe, expect, it } from "vitest";
import { admin, type Client, find, finishJobs, VSYS } from "../support.js";

const generate = (content: string): string => `<request><certificate><generate>${content}</generate></certificate></request>`;
const RSA = "<algorithm><RSA><rsa-nbits>2048</rsa-nbits></RSA></algorithm>";
const ECDSA = "<algorithm><ECDSA><ecdsa-nbits>256</ecdsa-nbits></ECDSA></algorithm>";
const ROOT = generate(`<certificate-name>root</certificate-name><name>Lab root</name>${RSA}<ca>yes</ca>`);

async function textOf(client: Client, name: string, tag: string, scope = "/config/shared"): Promise<string | undefined> {
  const reply = await client.config("get", `${scope}/certificate/entry[@name='${name}']/${tag}`);
  return find(reply.root, "result", tag)?.text;
}

async function certificateOf(client: Client, name: string, scope?: string): Promise<X509Certificate> {
  return new X509Certificate((await textOf(client, name, "public-key", scope)) ?? "");
}

describe("request certificate generate", () => {
  it("signs a certificate by an authority that the device generated before", async () => {
    const { client } = await admin();
    const reply = await client.op(ROOT);
    expect([reply.status, reply.lines]).toEqual(["success", ["Successfully generated certificate and key pair"]]);
    const names = "<hostname><member>vpn.example.com</member></hostname><ip><member>192.0.2.1</member></ip>";
    const web = `<certificate-name>web</certificate-name><name>vpn.example.com</name>${ECDSA}<digest>sha384</digest>`;
    await client.op(generate(`${web}<signed-by>root</signed-by><days-till-expiry>30</days-till-expiry>${names}`));
    const [root, leaf] = [await certificateOf(client, "root"), await certificateOf(client, "web")];
    expect(root.verify(root.publicKey)).toBe(true);
    expect(leaf.verify(root.publicKey)).toBe(true);
    expect(leaf.checkIssued(root)).toBe(true);
    expect([root.ca, leaf.ca]).toEqual([true, false]);
    expect([leaf.checkHost("vpn.example.com"), leaf.checkIP("192.0.2.1")]).toEqual(["vpn.example.com", "192.0.2.1"]);
    expect(Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)).toBe(30 * 24 * 3600 * 1000);
    expect([root.publicKey.asymmetricKeyType, leaf.publicKey.asymmetricKeyType]).toEqual(["rsa", "ec"]);
    const texts = ["subject", "issuer", "common-name", "ca", "algorithm"].map((tag) => textOf(client, "web", tag));
    expect(await Promise.all(texts)).toEqual(["/CN=vpn.example.com", "/CN=Lab root", "vpn.example.com", "no", "EC"]);
    expect(await textOf(client, "web", "private-key")).toMatch(/^-AQ==/);
  });

  it("writes a request for an external authority, which clients export before a commit", async () => {
    const { client } = await admin();
    const subject = "<country-code>DE</country-code><organization>Example</organization>";
    const unit = "<organization-unit><member>Network</member></organization-unit><hostname><member>gp.example.com</member></hostname>";
    await client.op(
      generate(
        `<certificate-name>gp</certificate-name><name>gp.example.com</name>${RSA}<digest>sha256</digest>${subject}${unit}<signed-by>external</signed-by>`,
      ),
    );
    expect(await textOf(client, "gp", "public-key")).toBeUndefined();
    const { text } = await client.send({ type: "export", category: "certificate", "certificate-name": "gp", format: "pkcs10" });
    const request = new Pkcs10CertificateRequest(text);
    expect(await request.verify()).toBe(true);
    expect(request.subject).toBe("C=DE, O=Example, OU=Network, CN=gp.example.com");
    const names = request.extensions.find((each) => each instanceof SubjectAlternativeNameExtension)?.names.items;
    expect(names?.map(({ value }) => value)).toEqual(["gp.example.com"]);
  });

  it("adds the certificate to the virtual system of the request, and to the running configuration by a commit", async () => {
    const { client, clock } = await admin();
    await client.op(ROOT, { vsys: "vsys1" });
    expect((await certificateOf(client, "root", VSYS)).ca).toBe(true);
    const running = `${VSYS}/certificate/entry[@name='root']/ca`;
    expect((await client.config("show", running)).status).toBe("error");
    await client.commit();
    finishJobs(client.state, clock);
    expect(find((await client.config("show", running)).root, "result", "ca")?.text).toBe("yes");
  });

  it.each([
    ["without a name", generate(`<name>a</name>${RSA}`)],
    ["without an algorithm", generate("<certificate-name>a</certificate-name><name>a</name>")],
    [
      "signed by a certificate that is missing",
      generate(`<certificate-name>a</certificate-name><name>a</name>${RSA}<signed-by>b</signed-by>`),
    ],
  ])("is refused %s, and changes nothing", async (_, command) => {
    const { client } = await admin();
    expect((await client.op(command)).status).toBe("error");
    expect(client.state.candidate.pending).toEqual([]);
  });

  it("is refused if the signing certificate has no key", async () => {
    const { client } = await admin();
    await client.op(ROOT);
    await client.config("delete", "/config/shared/certificate/entry[@name='root']/private-key");
    const reply = await client.op(generate(`<certificate-name>a</certificate-name><name>a</name>${RSA}<signed-by>root</signed-by>`));
    expect(reply.status).toBe("error");
  });
});
