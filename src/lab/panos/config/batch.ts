import type { TreeNode } from "../../../core/tree/node.js";
import { escapeValue } from "../../../core/tree/xml/escape.js";
import type { Administrator } from "../access/administrators.js";
import { revertOwn } from "../commit/revert.js";
import type { LabDevice } from "../device.js";
import { DeviceError } from "../device-error.js";
import { actionNotAllowed, commitInProgress, malformedElement, objectMissing, SUCCEEDED } from "../device-messages.js";
import { type Reply, refusalXml, success } from "../http/reply.js";
import type { Edit } from "./edit.js";
import { EDIT_ACTIONS, parseEdit } from "./parse.js";
import { performEdits, refuseWrites } from "./write.js";

/**
 * Handles `multi-config`: applies all operations in order, or no operation. A strict batch first reverts its administrator's uncommitted
 * edits.
 */
export function multiConfig(device: LabDevice, admin: Administrator, elements: readonly TreeNode[], strict: boolean): Reply {
  const [root, second] = elements;
  if (root === undefined || second !== undefined) throw malformedElement();
  if (strict) {
    if (device.jobs.open().length > 0) throw commitInProgress();
    revertOwn(device, admin.name);
  }
  const ids = root.children.map((child) => child.attributes?.get("id"));
  const done = (id: string | undefined): string =>
    `<response status="success" code="20"${idAttribute(id)}><msg>${SUCCEEDED}</msg></response>`;
  const failed = (index: number, error: DeviceError): Reply => {
    const body = [...ids.slice(0, index).map(done), refusalXml(error, ids[index])];
    return {
      ...success(error.code, []),
      status: "error",
      message: error.message,
      body: [`<response status="error" code="${error.code ?? "12"}">`, ...body, "</response>"],
    };
  };
  const edits: Edit[] = [];
  for (const [index, child] of root.children.entries()) {
    try {
      const edit = parseOperation(child);
      refuseWrites(device, admin, edit);
      edits.push(edit);
    } catch (error) {
      if (error instanceof DeviceError) return failed(index, error);
      throw error;
    }
  }
  let refusal: Reply | undefined;
  try {
    const effects = performEdits(device, admin, edits, (index, error) => {
      refusal = failed(index, error);
    });
    const replies = effects.map(({ wasMissing }, index) =>
      wasMissing === true ? refusalXml(objectMissing(), ids[index]) : done(ids[index]),
    );
    return success("20", replies, SUCCEEDED);
  } catch (error) {
    if (refusal === undefined) throw error;
    return refusal;
  }
}

/** Handles `multi-move` and `multi-clone`: several entries of one list, in their order. */
export function multiSelection(
  device: LabDevice,
  admin: Administrator,
  action: "multi-move" | "multi-clone",
  elements: readonly TreeNode[],
  value: (name: string) => string | undefined,
): Reply {
  const source = elements[0]?.children.find((child) => child.tag === "source");
  const list = source?.attributes?.get("xpath");
  const xpath = value("xpath");
  if (source === undefined || list === undefined || xpath === undefined) throw malformedElement();
  const names = source.children.map((member) => member.text);
  let previous: string | undefined;
  const edits = names.map((name) => {
    const entry = `entry[@name="${name}"]`;
    const parameters: Record<string, string | undefined> =
      action === "multi-clone"
        ? { xpath, from: `${list}/${entry}`, newname: names.includes(name) && list === xpath ? `${name}-1` : name }
        : {
            xpath: `${xpath}/${entry}`,
            where: previous === undefined ? (value("where") ?? "bottom") : "after",
            dst: previous ?? value("dst"),
          };
    previous = name;
    return parseEdit({ action: action === "multi-clone" ? "clone" : "move", value: (key) => parameters[key], elements: () => [] });
  });
  for (const edit of edits) refuseWrites(device, admin, edit);
  performEdits(device, admin, edits);
  return success("20", [`<msg>${SUCCEEDED}</msg>`], SUCCEEDED);
}

function parseOperation(element: TreeNode): Edit {
  if (!EDIT_ACTIONS.has(element.tag)) throw actionNotAllowed(element.tag);
  const edit = parseEdit({ action: element.tag, value: (name) => element.attributes?.get(name), elements: () => element.children });
  return edit.action === "delete" ? { ...edit, mayBeMissing: true } : edit;
}

function idAttribute(id: string | undefined): string {
  return id === undefined ? "" : ` id="${escapeValue(id)}"`;
}
