import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { makeCertificate } from "../../../src/lab/panos/http/certificate.js";

export interface GitServer {
  readonly url: string;
  readonly caPem: string;
  /** `Authorization` of each request, in order. */
  readonly asked: (string | undefined)[];
  /** Command lines of all processes of this machine, at each request. */
  readonly commandLines: string[];
  /** Answers every request by pointing there, from now on. */
  movedTo: string | undefined;
  close(): Promise<void>;
}

/** A repository over https behind a login, served by git's own program for it. */
export async function serveGit(repository: string, login: string): Promise<GitServer> {
  const certificate = await makeCertificate(Date.now());
  const asked: (string | undefined)[] = [];
  const commandLines: string[] = [];
  const options = { cert: certificate.certPem, key: certificate.keyPem };
  const server = createServer(options, (request, response) => {
    asked.push(request.headers.authorization);
    commandLines.push(...listProcesses());
    if (served.movedTo !== undefined) response.writeHead(301, { location: `${served.movedTo}${request.url}` }).end();
    else if (request.headers.authorization !== `Basic ${Buffer.from(login).toString("base64")}`) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    } else answer(repository, request, response);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const served: GitServer = {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caPem: certificate.caPem,
    asked,
    commandLines,
    movedTo: undefined,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
  return served;
}

/** As specified by CGI. */
function answer(repository: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const child = spawn("git", ["-c", "http.receivepack=true", "http-backend"], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: repository,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method ?? "GET",
      REMOTE_USER: "ann",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      HTTP_GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
    },
  });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.on("close", () => {
    const whole = Buffer.concat(chunks);
    const split = whole.indexOf("\r\n\r\n");
    for (const row of whole.subarray(0, split).toString().split("\r\n")) {
      const [name = "", value = ""] = row.split(": ");
      if (name.toLowerCase() === "status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.end(whole.subarray(split + 4));
  });
}

/** Only Linux exposes them as files. On other systems there is nothing to check. */
function listProcesses(): string[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => commandLine(name));
  } catch {
    return [];
  }
}

function commandLine(name: string): string {
  try {
    return readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
