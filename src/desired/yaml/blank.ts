import { EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import { PlumblineError } from "../../core/errors.js";
import type { Problems } from "../problems.js";
import type { SourceFile } from "../source-file.js";

/** Reports tabs that indent a line. Inside a block of text a tab is text once the block's own indentation is over. */
export function checkTabs(file: SourceFile, events: readonly Event[], problems: Problems): void {
  const indenting = /^ *(?:- *)*\t/gm;
  if (!indenting.test(file.text)) return;
  const blocks = events.filter(isBlock);
  let next = 0;
  indenting.lastIndex = 0;
  for (let line = indenting.exec(file.text); line !== null; line = indenting.exec(file.text)) {
    while (next < blocks.length && (blocks[next] as ScalarEvent).valueEnd <= line.index) next++;
    const block = blocks[next];
    const spaces = line[0].length - 1;
    if (block !== undefined && block.valueStart <= line.index && block.indent >= 0 && spaces >= block.indent) continue;
    problems.error(
      new PlumblineError("document-does-not-parse", "A tab indents the line.", {
        where: file.where(line.index + spaces),
        next: "Indent with spaces, not with tabs.",
      }),
    );
    return;
  }
}

/** Reports a block of text of which readers disagree what it holds: lines of spaces alone, or at the end of the file. */
export function checkBlock(file: SourceFile, event: ScalarEvent, problems: Problems): void {
  const { text } = file;
  const ending = event.valueEnd === text.length && /(?:^|\n)[ \t]+$/.test(text.slice(Math.max(event.valueStart, text.length - 1024)));
  const blank = event.indent >= 0 && /^[ \t\r\n]+$/.test(text.slice(event.valueStart, event.valueEnd));
  if (!ending && !blank) return;
  problems.error(
    new PlumblineError("document-does-not-parse", "Lines of spaces in a block of text may be text or not.", {
      where: file.where(event.valueStart),
      next: "Delete the spaces, or write the text in double quotes with \\n for a line break.",
    }),
  );
}

function isBlock(event: Event): event is ScalarEvent {
  return event.type === EVENT_ID.SCALAR && (event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK);
}
