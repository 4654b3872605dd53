import { resolve } from "node:path";
import type { TargetConfiguration } from "../../desired/configuration/configuration.js";
import type { KindSettings } from "../../desired/configuration/kind-settings.js";
import { type CommonText, readCommon } from "../../desired/configuration/target-context.js";
import { commonKeys, nonEmptyText, targetSchema } from "../../desired/configuration/target-schema.js";

/** A tree in a file, for tests of the core. `file` is the absolute path of an XML file inside `folder`, the folder of plumbline.yaml. */
export interface MemoryTargetConfiguration extends TargetConfiguration {
  readonly kind: "memory";
  readonly folder: string;
  readonly file: string;
}

interface MemoryText extends CommonText {
  readonly kind: "memory";
  readonly file: string;
}

/** Settings of a tree in a file in `plumbline.yaml`. */
export const memorySettings: KindSettings<MemoryText> = {
  schema: targetSchema("memory", ["file"], {
    file: { ...nonEmptyText, description: "XML file with the tree, inside the folder of plumbline.yaml." },
    ...commonKeys,
  }),
  read: async (text, context): Promise<MemoryTargetConfiguration> => ({
    kind: "memory",
    ...readCommon(text, context),
    folder: context.folder,
    file: resolve(context.folder, text.file),
  }),
};
