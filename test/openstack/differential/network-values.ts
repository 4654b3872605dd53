import type { Kind, Values } from "./kind.js";

export const LONG = "x".repeat(256);
export const ABSENT = "00000000-0000-4000-8000-000000000000";
export const TEXT: Values = { empty: "", longest: LONG.slice(1), "too long": LONG, number: 7, null: null, "not ASCII": "Zürich" };
export const FLAG: Values = { true: true, '"true"': "true", '"0"': "0", 1: 1, '"yes"': "yes", '"no"': "no", "2": 2, null: null };
export const COMMON = { name: { ...TEXT, usual: "n#" }, description: TEXT };
export const TAGS: NonNullable<Kind["actions"]> = {
  "tags=two": ["PUT", "/tags", { tags: ["b", "a"] }],
  "tags=twice": ["PUT", "/tags", { tags: ["a", "a"] }],
  "tags=number": ["PUT", "/tags", { tags: [1] }],
  "tags=too long": ["PUT", "/tags", { tags: [LONG] }],
  "tag=put": ["PUT", "/tags/c"],
  "tag=absent": ["GET", "/tags/none"],
  "tag=delete absent": ["DELETE", "/tags/none"],
  show: ["GET", ""],
  "show fields": ["GET", "?fields=id&fields=name"],
  "update unknown field": ["PUT", "", {}],
};
export const QUERIES = [
  "",
  "?name=n#",
  "?name=none",
  "?name=n#&name=x",
  "?fields=name",
  "?bogus=1",
  "?limit=-1",
  "?limit=x",
  "?sort_key=name&sort_dir=asc",
  "?sort_key=name&sort_dir=desc",
  "?sort_key=bogus&sort_dir=asc",
  "?sort_key=name&sort_dir=up",
  "?sort_key=name",
  "?tags=a",
  "?not-tags=a",
  "?tags-any=a,b",
  "?not-tags-any=a,b",
  "?id=$it",
  `?id=${ABSENT}`,
  "?description=",
];

export const at = (service: Omit<Kind, "service">): Kind => ({ service: "network", ...service });
