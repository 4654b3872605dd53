import { createHash } from "node:crypto";
import { isLoopback } from "../../../core/plaintext-http.js";
import type { SecretValue } from "../../../core/secret.js";
import type { EmailSettings } from "../../../desired/configuration/notify.js";
import type { Sender } from "../channel.js";
import { plainText, subjectLine } from "../format-notice.js";
import { noticesIn } from "../notice.js";
import { notSent } from "../post.js";

const TIMEOUT = 10_000;
const PORTS = { "smtp:": 587, "smtps:": 465 } as const;

/** Sends mail with SMTP. A password requires TLS, except to this machine or if the channel has `plaintext: true`. */
export function emailSender(settings: EmailSettings, open: () => Promise<SecretValue | undefined>): Sender {
  const { server, username, from, to, plaintext = false } = settings;
  const { protocol, hostname, port } = new URL(server);
  const secure = protocol === "smtps:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const isHere = isLoopback(hostname);
  return async (news, { id, signal }) => {
    const password = await open();
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({
      host,
      port: port === "" ? PORTS[protocol as keyof typeof PORTS] : Number(port),
      secure,
      requireTLS: !secure && !isHere && password !== undefined && !plaintext,
      ignoreTLS: isHere && !secure,
      ...(username === undefined || password === undefined ? {} : { auth: { user: username, pass: password.reveal() } }),
      connectionTimeout: TIMEOUT,
      greetingTimeout: TIMEOUT,
      socketTimeout: TIMEOUT,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    const end = (): void => transport.close();
    signal.addEventListener("abort", end, { once: true });
    try {
      const notices = noticesIn(news);
      await transport.sendMail({
        from,
        to: [...to],
        subject: `[plumbline] ${subjectLine(notices)}`,
        text: `${notices.map(plainText).join("\n\n")}\n`,
        // Most mail programs show messages with the same id only once.
        messageId: `<${createHash("sha256").update(id).digest("hex").slice(0, 32)}@plumbline>`,
        headers: { "auto-submitted": "auto-generated" },
      });
    } catch (cause) {
      throw notSent(`${server}: ${wordsOf(cause)}`);
    } finally {
      signal.removeEventListener("abort", end);
      transport.close();
    }
  };
}

/** The message of the server may repeat secrets, so only codes are used. */
function wordsOf(cause: unknown): string {
  const { code, responseCode } = cause as { code?: string; responseCode?: number };
  return [code ?? (cause as Error).name, responseCode].filter((part) => part !== undefined).join(" ");
}
