import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";

export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, as they came. */
  readonly text: string;
  /** Credentials of `AUTH PLAIN`. */
  readonly user: string | undefined;
}

/** As much of SMTP as one message needs (RFC 5321), and a memory. */
export class SmtpServer {
  readonly mails: Mail[] = [];
  /** Replies that replace 250 after each message, in order. */
  readonly refusals: string[] = [];
  readonly commands: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => this.#talk(socket));

  static async start(): Promise<SmtpServer> {
    const server = new SmtpServer();
    await new Promise<void>((ready) => server.#server.listen(0, "127.0.0.1", ready));
    return server;
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((done) => this.#server.close(done));
  }

  #talk(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => this.#sockets.delete(socket));
    let buffer = "";
    let mail: { from: string; to: string[]; user: string | undefined } = { from: "", to: [], user: undefined };
    let inData = false;
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    const address = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? "";
    const command = (line: string): void => {
      this.commands.push(line.split(" ")[0]?.toUpperCase() ?? "");
      if (/^EHLO/i.test(line)) say("250-recorder\r\n250 AUTH PLAIN");
      else if (/^AUTH PLAIN /i.test(line)) {
        const [, user, password] = Buffer.from(line.slice(11), "base64").toString("utf8").split("\0");
        mail.user = user;
        say(password === "mail-pw" ? "235 ok" : "535 5.7.8 wrong password mail-pw");
      } else if (/^MAIL FROM/i.test(line)) {
        mail.from = address(line);
        say("250 ok");
      } else if (/^RCPT TO/i.test(line)) {
        mail.to.push(address(line));
        say("250 ok");
      } else if (/^DATA/i.test(line)) {
        inData = true;
        say("354 go on");
      } else if (/^STARTTLS/i.test(line)) {
        say("502 5.5.1 not here");
      } else if (/^QUIT/i.test(line)) {
        say("221 bye");
        socket.end();
      } else say("250 ok");
    };
    const data = (text: string): void => {
      inData = false;
      const refusal = this.refusals.shift();
      if (refusal === undefined) this.mails.push({ ...mail, text: text.replaceAll("\r\n..", "\r\n.") });
      mail = { from: "", to: [], user: mail.user };
      say(refusal ?? "250 taken");
    };
    socket.on("data", (chunk) => {
      buffer += chunk.toString("utf8");
      for (;;) {
        const end = buffer.indexOf(inData ? "\r\n.\r\n" : "\r\n");
        if (end === -1) return;
        const part = buffer.slice(0, end);
        buffer = buffer.slice(end + (inData ? 5 : 2));
        if (inData) data(part);
        else command(part);
      }
    });
    say("220 recorder ESMTP");
  }
}
