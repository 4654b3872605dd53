import { createConnection, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver/node";
import { PlumblineError } from "../../core/errors.js";
import type { Context } from "../context.js";
import { serve } from "../lsp/server.js";
import { findConfiguration, type GlobalOptions } from "../options.js";

/** Runs the Language Server Protocol on standard input and output until the editor ends it. */
export async function lsp(flags: GlobalOptions, context: Context): Promise<number> {
  const reader = new StreamMessageReader(process.stdin);
  const connection = createConnection(reader, new StreamMessageWriter(process.stdout));
  const ended = new Promise<number>((resolve) => {
    connection.onExit(() => resolve(0));
    // An editor that has crashed sends no exit message.
    reader.onClose(() => resolve(0));
    context.stop.addEventListener("abort", () => resolve(0), { once: true });
  });
  serve(connection, {
    environment: context.environment,
    now: () => context.now(),
    configurationOf: (folder) => configurationIn(flags, { ...context, folder }),
  });
  return await ended;
}

function configurationIn(flags: GlobalOptions, context: Context): string | undefined {
  try {
    return findConfiguration(flags, context);
  } catch (error) {
    if (error instanceof PlumblineError && error.code === "configuration-not-found") return undefined;
    throw error;
  }
}
