import type { RequestListener } from "node:http";
import { type Listener, listenOn } from "../http/listen.js";
import { makeCertificate } from "../panos/http/certificate.js";
import type { VerdictLabOptions } from "./options.js";
import { serve } from "./serve.js";
import { VerdictLab } from "./service.js";
import { errorXml } from "./xml.js";

export interface RunningVerdictLab {
  /** Base URL. The API is below `/publicapi/get/`, the lab's control endpoint below `/lab/`. */
  readonly url: string;
  /** Base URL without TLS, if requested. */
  readonly plainUrl: string | undefined;
  readonly caPem: string;
  /** The service without HTTP: files, keys, faults and journal. */
  readonly state: VerdictLab;
  close(): Promise<void>;
}

/** Starts a file-verdict service in this process. */
export async function startVerdictLab(options: VerdictLabOptions = {}): Promise<RunningVerdictLab> {
  const state = new VerdictLab(options);
  const certificate = options.certificate ?? (await makeCertificate(Date.now()));
  const host = options.host ?? "127.0.0.1";
  const listener: RequestListener = (incoming, response) => {
    serve(state, incoming, response).catch((error: unknown) => {
      const text = errorXml(`internal error of the lab: ${error instanceof Error ? error.message : String(error)}`);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { "content-type": "application/xml" }).end(text);
    });
  };
  const listeners: Listener[] = [await listenOn(listener, certificate, host, options.port ?? 0)];
  if (options.plainHttp === true) listeners.push(await listenOn(listener, undefined, host, 0));
  return {
    url: listeners[0]?.url ?? "",
    plainUrl: listeners[1]?.url,
    caPem: certificate.caPem,
    state,
    close: async () => {
      await Promise.all(listeners.map((each) => each.close()));
    },
  };
}
