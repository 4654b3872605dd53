import type { HttpDependencies } from "../../http/dependencies.js";
import type { ContrailAuth, ContrailConnection, TokenSource } from "./client/connection.js";
import { ContrailReader } from "./reader.js";
import type { ContrailTargetConfiguration } from "./settings.js";
import { ContrailWriter } from "./writer.js";

/** Opens the token source of a cloud: an OpenStack target's own connection to its identity service. */
export type TokensOf = (cloud: Extract<ContrailTargetConfiguration["auth"], { by: "openstack" }>["cloud"]) => TokenSource;

export function openContrailReader(
  configuration: ContrailTargetConfiguration,
  dependencies: HttpDependencies,
  tokensOf: TokensOf,
): ContrailReader {
  return new ContrailReader(connectionOf(configuration, tokensOf), dependencies);
}

export function openContrailWriter(
  configuration: ContrailTargetConfiguration,
  dependencies: HttpDependencies,
  tokensOf: TokensOf,
): ContrailWriter {
  return new ContrailWriter(connectionOf(configuration, tokensOf), dependencies);
}

function connectionOf({ name, url, tls, timeout, auth }: ContrailTargetConfiguration, tokensOf: TokensOf): ContrailConnection {
  return { name, url, tls, timeout, auth: authOf(auth, tokensOf) };
}

function authOf(auth: ContrailTargetConfiguration["auth"], tokensOf: TokensOf): ContrailAuth {
  switch (auth.by) {
    case "none":
      return { kind: "none" };
    case "basic":
      return { kind: "basic", username: auth.username, password: auth.password };
    case "openstack":
      return { kind: "token", source: tokensOf(auth.cloud) };
  }
}
