import { gzipSync } from "node:zlib";
import { TreeNode } from "../../../core/tree/node.js";
import { parseXml } from "../../../core/tree/xml/parse.js";
import type { Administrator } from "../access/administrators.js";
import { readXPath } from "../config/read.js";
import { performEdits, refuseWrites } from "../config/write.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { malformedElement, parameterRequired } from "../device-messages.js";
import { attachment, type Reply, success } from "../http/reply.js";
import { type ApiRequest, param } from "../http/request.js";
import { child } from "../state/system-facts.js";
import { serialise } from "../tree/serialise.js";

const BLOCK = 512;

/**
 * Handles `type=export`: returns the running configuration as an XML document, a certificate as a file, or the device state as an archive.
 * A device adds other files to its state, such as certificates of GlobalProtect satellites. The lab has none.
 */
export function handleExport(device: LabDevice, request: ApiRequest): Reply {
  const category = required(request, "category");
  if (category === "configuration") {
    return { ...success(undefined, []), body: serialise(device.running, { marks: false }) };
  }
  if (category === "device-state") {
    const running = Buffer.from([...serialise(device.running, { marks: false })].join(""));
    const archive = gzipSync(tarOf("running-config.xml", running));
    const file = attachment("device_state_cfg.tgz", "application/octet-stream", [archive.toString("latin1")]);
    return { ...file, encoding: "latin1" };
  }
  if (category !== "certificate") throw new DeviceError("17", ` export -> category -> ${category} is invalid`);
  const name = required(request, "certificate-name");
  const isRequest = required(request, "format") === "pkcs10";
  // Public clients export a request for a certificate before they commit.
  const certificates = child(child(device.candidate.tree.root, "shared"), "certificate");
  const found = certificates?.children.find((entry) => entry.name === name);
  if (found === undefined) throw new DeviceError(undefined, `certificate ${name} does not exist`);
  const text = child(found, isRequest ? "csr" : "public-key")?.text;
  return attachment(`${name.toLowerCase()}.${isRequest ? "csr" : "pem"}`, "application/octet-stream", [text ?? ""]);
}

/**
 * Handles `type=import` of a multipart file. A certificate is added to `shared` in the candidate; a configuration is added to the saved
 * configurations.
 */
export function handleImport(device: LabDevice, admin: Administrator, request: ApiRequest): Reply {
  const category = required(request, "category");
  const { upload } = request;
  if (upload === undefined) throw parameterRequired("file");
  if (category === "configuration") {
    device.saved.byName.set(upload.name, configuration(upload.content));
    return textReply(`${upload.name} saved`);
  }
  if (category !== "certificate") throw new DeviceError("17", ` import -> category -> ${category} is invalid`);
  required(request, "format");
  const xpath = readXPath("/config/shared/certificate");
  if (xpath === undefined) throw malformedElement();
  const entry = new TreeNode("entry", required(request, "certificate-name"), "", [new TreeNode("public-key", undefined, upload.content)]);
  const edit = { action: "set", xpath, elements: [entry] } as const;
  refuseWrites(device, admin, edit);
  performEdits(device, admin, [edit]);
  return textReply("Successfully imported certificate");
}

/** Parses an exported configuration, whose root is `<config>`. Throws code 18 for other files. */
function configuration(text: string): TreeNode {
  try {
    const root = parseXml(text);
    if (root.tag === "config") return root;
  } catch {
    // Malformed XML is refused below, like any other file without a configuration.
  }
  throw malformedElement();
}

function required(request: ApiRequest, name: string): string {
  const value = param(request, name);
  if (value === undefined) throw parameterRequired(name);
  return value;
}

function textReply(text: string): Reply {
  return success(undefined, [`<result><msg><line>${text}</line></msg></result>`], text);
}

/** Returns a tar archive (POSIX ustar) with one file. */
function tarOf(name: string, content: Buffer): Buffer {
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 8) + octal(0, 8) + octal(0, 8), 100);
  header.write(octal(content.length, 12) + octal(0, 12), 124);
  // The sum counts its own field as spaces.
  header.write(`${" ".repeat(8)}0`, 148);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 7)} `, 148);
  const padding = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  return Buffer.concat([header, content, padding, Buffer.alloc(2 * BLOCK)]);
}
