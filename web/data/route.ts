import { useLayoutEffect, useState } from "preact/hooks";

export type Route =
  | { readonly page: "fleet"; readonly query: URLSearchParams }
  | { readonly page: "target"; readonly target: string }
  | { readonly page: "audit" }
  | { readonly page: "access"; readonly query: URLSearchParams }
  | { readonly page: "history"; readonly query: URLSearchParams };

/** Addresses are behind `#`, so that the page works under any path of a proxy and from a file. */
function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page, name] = path.split("/");
  if (page === "target" && name !== undefined) return { page, target: decodeURIComponent(name) };
  if (page === "audit") return { page };
  if (page === "access") return { page, query: new URLSearchParams(query) };
  if (page === "history") return { page, query: new URLSearchParams(query) };
  return { page: "fleet", query: new URLSearchParams(query) };
}

export function targetLink(name: string): string {
  return `#/target/${encodeURIComponent(name)}`;
}

/** Last address of the overview, so that a return to it keeps the filter. */
export const lastFleet = { hash: "#/" };

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useLayoutEffect(() => {
    const changed = () => setRoute(routeOf(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}
