import { Query } from "../../core/tree/query/query.js";
import type { GetFormat, GetView } from "../choices.js";
import type { Context } from "../context.js";
import { type Answer, isEmptyAnswer } from "../get/answer.js";
import { evaluateOn } from "../get/ask.js";
import { jsonText } from "../get/json.js";
import { xmlText } from "../get/xml.js";
import { yamlText } from "../get/yaml.js";
import type { GlobalOptions } from "../options.js";

interface Flags extends GlobalOptions {
  readonly target: readonly string[];
  readonly view: GetView;
  readonly format: GetFormat;
  readonly ledger?: string;
}

/** Evaluates an XPath expression on each target and prints the results. Returns the exit code, which is also 0 without results. */
export async function get(flags: Flags, context: Context, expression: string): Promise<number> {
  const query = new Query(expression);
  const answers: Answer[] = [];
  const code = await evaluateOn(flags.view, query, flags, context, answers);
  print(answers, flags, expression, context);
  return code;
}

function print(answers: readonly Answer[], { format, view }: Flags, expression: string, context: Context): void {
  const { stdout, stderr } = context;
  for (const answer of answers) if (isEmptyAnswer(answer)) stderr.write(`${answer.target}: nothing found\n`);
  const found = answers.filter((answer) => !isEmptyAnswer(answer));
  switch (format) {
    case "json":
      stdout.write(jsonText(answers, expression, view));
      return;
    case "xml":
      if (found.length > 0) stdout.write(xmlText(found, view));
      return;
    case "yaml": {
      const { text, notes } = yamlText(found, expression, view);
      stdout.write(text);
      for (const note of notes) stderr.write(`${note}\n`);
    }
  }
}
