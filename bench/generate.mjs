/**
 * Writes a configuration in the format of a firewall export:
 *   node bench/generate.mjs [--addresses N] [--rules N] [--services N] [--groups N] [--seed N] [--compact] > running-config.xml
 * 1,000 rules take about 2 MB, and 12,000 addresses about 2 MB. See docs/contributing/devices/panos.md#sizes-and-times.
 */
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { generateModel } from "./generate-model.mjs";

const DEVICE = "localhost.localdomain";

/** Returns the configuration as XML. `compact` omits the indentation, as the API does. */
export function generateXml(options = {}) {
  const model = generateModel(options);
  const lines = [];
  let depth = 0;
  const compact = options.compact === true;
  const put = (text) => lines.push(compact ? text : `${"  ".repeat(depth)}${text}\n`);
  const leaf = (tag, text) => put(`<${tag}>${escapeXml(text)}</${tag}>`);
  const element = (start, inside) => {
    put(`<${start}>`);
    depth++;
    inside();
    depth--;
    put(`</${start.split(" ", 1)[0]}>`);
  };
  const each = (list, inside) => {
    for (const item of list) inside(item);
  };
  const members = (tag, values) => element(tag, () => each(values, (value) => leaf("member", value)));
  const entries = (tag, list, inside, more = () => "") =>
    element(tag, () => each(list, (item) => element(`entry name="${escapeXml(item.name)}"${more(item)}`, () => inside(item))));
  const portOf = (index) => `ethernet1/${index + 1}`;

  put('<?xml version="1.0"?>');
  element('config version="10.1.0" urldb="paloaltonetworks"', () => {
    element("mgt-config", () =>
      entries("users", [{ name: "admin" }], () => element("permissions", () => element("role-based", () => leaf("superuser", "yes")))),
    );
    element("shared", () => {
      put("<application/>");
      put("<service/>");
    });
    element("devices", () =>
      element(`entry name="${DEVICE}"`, () => {
        element("network", () =>
          element("interface", () => {
            const ports = model.zones.map((zone, index) => ({ name: portOf(index), zone, ip: `192.0.2.${index * 8 + 1}/29` }));
            entries("ethernet", ports, (port) => element("layer3", () => element("ip", () => put(`<entry name="${port.ip}"/>`))));
          }),
        );
        element("deviceconfig", () =>
          element("system", () => {
            leaf("hostname", "edge-fw-1");
            leaf("ip-address", "192.0.2.250");
            leaf("netmask", "255.255.255.0");
            leaf("timezone", "UTC");
          }),
        );
        element("vsys", () =>
          element('entry name="vsys1"', () => {
            element("import", () =>
              element("network", () =>
                members(
                  "interface",
                  model.zones.map((_, index) => portOf(index)),
                ),
              ),
            );
            entries("tag", model.tags, (tag) => {
              leaf("color", tag.color);
              leaf("comments", tag.comments);
            });
            entries(
              "zone",
              model.zones.map((name, index) => ({ name, port: portOf(index) })),
              (zone) => element("network", () => members("layer3", [zone.port])),
            );
            entries("address", model.addresses, (address) => {
              for (const [tag, text] of Object.entries(address.value)) leaf(tag, text);
              if (address.description !== undefined) leaf("description", address.description);
              if (address.tags.length > 0) members("tag", address.tags);
            });
            entries("address-group", model.groups, (group) => members("static", group.members));
            entries("service", model.services, (service) =>
              element("protocol", () => element(service.protocol, () => leaf("port", service.port))),
            );
            element("rulebase", () => element("security", () => entries("rules", model.rules, rule, (item) => ` uuid="${item.uuid}"`)));
          }),
        );
      }),
    );
  });
  return lines.join("");

  function rule(item) {
    members("to", item.to);
    members("from", item.from);
    members("source", item.source);
    members("destination", item.destination);
    members("source-user", item.sourceUser);
    members("category", ["any"]);
    members("application", item.application);
    members("service", item.service);
    members("tag", item.tags);
    leaf("action", item.action);
    leaf("description", item.description);
    leaf("log-start", "no");
    leaf("log-end", "yes");
    leaf("rule-type", "universal");
    if (item.disabled) leaf("disabled", "yes");
  }
}

function escapeXml(text) {
  return text.replace(/[&<>"]/g, (character) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[character]);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const number = { type: "string" };
  const { values } = parseArgs({
    options: { addresses: number, rules: number, services: number, groups: number, seed: number, compact: { type: "boolean" } },
  });
  const sizes = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value === true ? true : Number(value)]));
  const bytes = Buffer.from(generateXml(sizes));
  for (let written = 0; written < bytes.length; ) written += writeSync(1, bytes, written);
}
