import type { ErrorTexts } from "./texts.js";

/** Errors of documents, references, XML and paths. */
export const desiredStateErrors: ErrorTexts = {
  "alias-bound": {
    meaning: "YAML aliases add more than 100,000 nodes to a document. Nested aliases multiply and can use all memory.",
    next: "Write the content out, or use an alias only for small values. `$count` and `$forEach` create similar entries.",
  },
  "applications-invalid": {
    meaning: "`applications:` has a missing key or an invalid port, or lacks an application that rules or assertions use (a warning).",
    next: "Correct the line, or run `plumbline import`, which writes the document ([default ports](insight.md#default-ports)).",
  },
  "assertion-invalid": {
    meaning:
      "An item of `assert:` is invalid: a key is missing or has a wrong value, a name is used twice, the target has no evaluated rules, or an `xpath:` is not XPath 1.0 that selects nodes.",
    next: "Correct the line of the message ([assertions](insight.md#assertions)). An `allow` needs `from`, `to`, `destination`, `service` and `application`, each a list or `[any]`.",
  },
  "backslash-in-quotes": {
    meaning:
      'A value in double quotes contains a backslash, such as `"corp\\alice"`. YAML reads `\\a` as a bell and `\\n` as a line break.',
    next: "Use single quotes: `'corp\\alice'`. Use a block (`|-`) for several lines.",
  },
  "check-invalid": {
    meaning: "A `watch:`, `probe:` or `artifacts:` is invalid: a missing key, a number out of range, an unknown log type, or a wrong hash.",
    next: "Correct the line of the message ([desired state](desired-state.md)).",
  },
  "checkout-unreadable": {
    meaning: "git cannot read the working tree of the desired state, usually because another user owns it (`dubious ownership`).",
    next: "Run `git status` there and follow its advice, for example `git config --global --add safe.directory PATH`.",
  },
  "choice-conflict": {
    meaning:
      "Two children that exclude each other are declared, such as `ip-netmask` and `fqdn` of an address. A device would keep one of them.",
    next: "Declare only one. The other is deleted in the same batch.",
  },
  "configuration-invalid": {
    meaning: "`plumbline.yaml` is not valid YAML 1.2 or does not match its schema.",
    next: "Correct the place in the message. Editors check it with `schemas/plumbline.schema.json`.",
  },
  "configuration-not-found": {
    meaning:
      "No `plumbline.yaml` was found: Plumbline checks `--config`, `PLUMBLINE_CONFIG`, and `plumbline.yaml` and `desired-state/plumbline.yaml` in this folder and its parents up to the repository root. Or the file is not a regular UTF-8 file below 16 MB.",
    next: "Change the folder, or use `--config FILE`. `plumbline import --xml FILE --out DIR` creates a first one.",
  },
  "control-character": {
    meaning:
      "The file contains a character that XML cannot contain: a control character, a byte order mark, half of a surrogate pair, or a name with a tab or line break. It often comes from a backslash in double quotes.",
    next: "Delete it, or use single quotes for a backslash.",
  },
  "declared-twice": {
    meaning: "One path is declared in two places. If one were deleted, the other would lose its object.",
    next: "Keep one. If several documents declare parts of one entry, all write `$partial: true`; for members all write `$include`.",
  },
  "directive-misplaced": {
    meaning: "A directive (a key with `$`) is at a place where it has no meaning, or next to one that it excludes.",
    next: "Move it to the place that the message names.",
  },
  "directive-value": {
    meaning: "A directive has an invalid value.",
    next: "Write true or false for `$partial`, `$override`, `$replace` and `$adopt`; a name for `$was`; a number for `$count`; `top`, `bottom`, `{ before: NAME }` or `{ after: NAME }` for `$position`.",
  },
  "document-does-not-parse": {
    meaning:
      "A document is not valid YAML, or YAML readers could read it differently (tabs, keys that do not start a line, more than 100 levels). Nothing is planned from an incomplete desired state.",
    next: "Correct the line. Indent with spaces, put each `key: value` on its own line, and quote values that start with ``@ ` % * & ! { [ ? |``.",
  },
  "document-empty": {
    meaning: "A document contains nothing or only comments. Its objects would be deleted.",
    next: "Write the document, delete the file, or list it in `exclude:` of `plumbline.yaml`.",
  },
  "document-key": {
    meaning: "A key next to `config:` is unknown, missing or invalid.",
    next: "Use `target`, `scope` or `at`, `owns`, `ignore` and `config`. `owns:` takes `exclusive`, `shared` or `{ exclusive: true, allowEmpty: true }` for each path.",
  },
  "documents-missing": {
    meaning: "A folder of `documents:` does not exist, or none contains a document. Everything would look unwanted.",
    next: "Correct `documents:`. Folders are relative to `plumbline.yaml`.",
  },
  "doubtful-value": {
    meaning:
      "A value is probably a mistake, but some devices accept it: a range that ends before it starts, a group that contains itself, an interface in two zones, `Any` with a capital letter.",
    next: "Correct it. This is only a warning: the plan is not refused.",
  },
  "duplicate-key": {
    meaning: "A map has the same key twice. One value would be lost.",
    next: "Delete one. For entries of different lists, check the indentation.",
  },
  "element-name": {
    meaning: "A key is not an XML element name: it starts with a digit, contains a space, or is `entry` or `member`.",
    next: "If the keys are names of entries, use a list of maps with `name:`, or `$entries`.",
  },
  "empty-list": {
    meaning:
      "A list is declared empty where that is not allowed or would delete everything. In a rule an empty list means `any`. A `$forEach` with `allowEmpty: true` can also cause this.",
    next: "Delete the key. To empty an exclusive list, write `owns: { address: { exclusive: true, allowEmpty: true } }`. In a rule write `[any]`, or create the rule with the same `$forEach`.",
  },
  "empty-value": {
    meaning:
      "A key or dash has no value, often because the lines below are commented out. Also `{ port: 80,443 }` contains an empty `443`.",
    next: 'Comment out the key, or write `{}`, `[]` or `""`. Quote values with commas.',
  },
  "entry-without-name": {
    meaning: "An item of a list of entries has no `name:`.",
    next: "Add it, or use `$forEach:`. If the entry has a child element `name`, use `$entries`.",
  },
  "exclusive-undeclared": {
    meaning: "`owns:` names a path with no declared entries, so every entry there would be deleted.",
    next: "Correct the path, declare the entries, or declare `[]` with `allowEmpty: true`.",
  },
  "exec-list-unreadable": {
    meaning: "The file of `PLUMBLINE_ALLOW_EXEC` cannot be read or is in the checkout, where a commit could change it.",
    next: "Put it outside, for example `/etc/plumbline/commands`, with one command per line. `PLUMBLINE_ALLOW_EXEC=1` allows every command.",
  },
  "field-missing": {
    meaning: "An entry lacks a field that the platform requires. Entries with `$partial: true` and text in `$xml` are not checked.",
    next: "Add the field ([values](desired-state.md#values)), or `$partial: true`. `unknown: allow` in the document disables the check.",
  },
  "file-leaves-repository": {
    meaning:
      "A file or folder of `documents:`, `plumbline.yaml`, or `file:` of a memory target leads outside the folder of `plumbline.yaml`, or a link forms a circle or leads into `.git`.",
    next: "Move the files into that folder. Several configurations can be in one folder.",
  },
  "file-not-text": {
    meaning: "A document is not UTF-8 text.",
    next: "Save it as UTF-8, or list it in `exclude:`.",
  },
  "file-unreadable": {
    meaning: "A document cannot be read, is a broken link, or is not a regular file.",
    next: "Fix its permissions or the link, or list it in `exclude:`.",
  },
  "for-each-empty": {
    meaning:
      "`$forEach` selects no node in the other target, or none with the value of `where:`. The list would be empty, which means `any` in a rule.",
    next: "Correct `select:`, which starts at the root of the other target. Write `allowEmpty: true` if nothing is valid, or `from: live` to select live objects.",
  },
  "for-each-name": {
    meaning: "`$forEach` creates a name twice, an invalid name, or a name from an empty reference. Names are never shortened.",
    next: "Change `name:`. `${name}` is the name of the node, `${index}` its number, and other `${path}` a leaf below it.",
  },
  "ignore-expired": {
    meaning: "An `ignore:` entry is past its `until:` day. The path stays protected, but nothing is applied to the target.",
    next: "Ask its owner. Delete the entry, or set a later day.",
  },
  "ignore-incomplete": {
    meaning: "An `ignore:` entry lacks `path:`, `owner:` or `reason:`, or `until:` is not a date.",
    next: "Write all three. The path starts at the place of the document, or with `/` at the root. Dates are `yyyy-mm-dd`.",
  },
  "keep-misplaced": {
    meaning: "`${keep}` is part of a text or a member of a list.",
    next: 'Write `"${keep}"` as the complete value of a leaf. For members use `$include`.',
  },
  "kind-not-supported": {
    meaning: "A target has a `kind:` that this version does not support.",
    next: "Correct the kind, or remove the target.",
  },
  "leaf-conflict": {
    meaning: "Two documents declare a leaf with different values, or one includes a member that another excludes.",
    next: "Keep one of the two places in the message.",
  },
  "members-need-a-sequence": {
    meaning: "A list of members is written as one value.",
    next: "Write a sequence: `source: [web]`.",
  },
  "members-over-list": {
    meaning:
      "A document declares a complete list of members where a document for more targets declares it too, or removes a member that is not listed there.",
    next: "Write `{ $add: [...], $remove: [...] }` with names of the wider document.",
  },
  "members-over-nothing": {
    meaning: "`$add` or `$remove` is used where no document for more targets declares members.",
    next: "Write the complete list, use `$include` and `$exclude`, or correct the path.",
  },
  "name-collision": {
    meaning:
      "git tracks two document paths that differ only in case or accents, such as `Web.yaml` and `web.yaml`. macOS and Windows keep one of them, so objects would be deleted.",
    next: "Rename one with `git mv` and commit.",
  },
  "name-is-the-key": {
    meaning: "An entry that is written under its name also contains `name:`.",
    next: "Delete `name:`. If it is a child element, use `$entries`.",
  },
  "name-undeclared": {
    meaning:
      "A document names an object that no document of its target declares. It is an error if `owns:` makes all lists that could contain it exclusive, otherwise a warning.",
    next: "Correct the name, or declare the object in a visible scope ([names](desired-state.md#names)). `validate --names` lists all.",
  },
  "null-config": {
    meaning: "`config:` is missing, empty, null or not a map. Everything that the document declared would be deleted.",
    next: "Write the content. To give everything up, delete the file or list it in `exclude:`. `config: {}` declares nothing on purpose.",
  },
  "ordered-list-as-map": {
    meaning: "A list with an order, such as rules, is written as a map.",
    next: "Write a sequence of maps with `name:`.",
  },
  "ordered-list-split": {
    meaning: "Several documents declare one ordered list, and not all have a `$position`.",
    next: "Declare it in one document, or write `$position` next to `$entries` in each.",
  },
  "plaintext-secret": {
    meaning: "A secret is in a file as plain text, so every reader of the repository can read it.",
    next: 'Write a reference (`"${env:RADIUS_SECRET}"`, `"${file:/run/secrets/ftp}"`) or `"${keep}"`. Then change the secret, because git keeps the old file.',
  },
  "position-conflict": {
    meaning: "`$position` names an entry of its own block, or two blocks have the same position or depend on each other.",
    next: "Name an entry outside the block. Let one block name an entry of the other.",
  },
  "read-only-field": {
    meaning: "A document declares a field that only the platform writes: an id, status, time or mark.",
    next: "Delete the line. Others can refer to it: `${cloud:networks/entry[@name='web']/id}`.",
  },
  "reference-cycle": {
    meaning: "A reference leads back to itself, or `$forEach` selections of targets form a circle.",
    next: "Write the value in one of the places, or select from another target.",
  },
  "reference-later": {
    meaning:
      "A value comes from an object that does not exist yet, and this run cannot resolve it: the targets refer to each other, or a `$forEach` selects missing nodes.",
    next: "Reconcile the source target first, check `plumbline plan`, then run again. Replace one reference of a circle by a value.",
  },
  "reference-many": {
    meaning: "A reference has several values where one is needed, or does not lead to a leaf.",
    next: "Select one node with `[@name='…']`, lead the path to a leaf, or end it with `/@name`. As a member of a list, several values are allowed.",
  },
  "reference-not-approved": {
    meaning:
      "The run uses an unapproved commit, and `references:` of the approved `plumbline.yaml` (`PLUMBLINE_APPROVED`) does not list the reference. It was not read.",
    next: 'Merge it first: `references: ["env:FW_*", "file:/run/secrets/*"]`. In CI, give the job the history (`fetch-depth: 0`). Links from the checkout to outside files are never read.',
  },
  "reference-nothing": {
    meaning: "A reference has no value: the node is missing, empty, or kept on a device. Only the target that uses it stops.",
    next: "Correct the path, which starts at the root of the other target, or declare the node. In a `$forEach`, `where: PATH` skips nodes without the value.",
  },
  "reference-secret": {
    meaning: "A reference leads to a secret of another target. Devices encrypt or hash secrets, so Plumbline does not copy them.",
    next: "Refer to its source: `${env:NAME}`, `${file:PATH}` or `${exec:COMMAND}`.",
  },
  "reference-unreadable": {
    meaning: "A value comes from a target that cannot be read. Only the target that uses it stops.",
    next: "Fix the cause in the message (`plumbline status TARGET`), or write the value.",
  },
  "rename-conflict": {
    meaning:
      "`$was` names an entry that is also declared, or two entries have the same `$was`. Rules may swap names if each of them has `$was`; other entries may not.",
    next: "Delete `$was`, or the entry with the former name.",
  },
  "repeated-member": {
    meaning: "A list contains a member twice. This is a warning; the member is loaded once.",
    next: "Delete one.",
  },
  "repository-in-commit": {
    meaning:
      "A folder of the commit contains `HEAD`, `objects/` and `refs/`. git in this folder would use it as a repository and run commands of its `config`.",
    next: "Find its author (`git log -- FOLDER`) and treat it as an attack until you know the reason. Remove or rename it.",
  },
  "secret-command-not-allowed": {
    meaning:
      "The desired state contains `${exec:command}`, and this run may not execute it. `plan`, `drift` and `status` also run on unapproved commits; `reconcile` and `apply` execute commands.",
    next: "If every author may run commands here, use `--allow-exec` or `PLUMBLINE_ALLOW_EXEC=1`. To allow certain commands, set it to a file outside the checkout with one command per line. Or use `${env:NAME}`, or `plumbline validate`.",
  },
  "secret-not-resolved": {
    meaning:
      "A secret was needed that this run did not read, because `validate` reads none and other commands only those of their targets.",
    next: "Run the command for the target of the secret.",
  },
  "secret-unavailable": {
    meaning:
      "A secret cannot be read: a variable is empty, a file is unreadable or larger than 1 MB, a command failed or took 30 seconds, a credential is not in `$CREDENTIALS_DIRECTORY`, or Vault or `sops` failed. Their output is not printed.",
    next: "Set the secret or correct the reference. Paths and commands start at the folder of `plumbline.yaml`.",
  },
  "several-documents": {
    meaning: "A file contains several YAML documents or a line `...`.",
    next: "Put each document into its own file. A `---` on the first line is allowed.",
  },
  "shared-members": {
    meaning:
      "A complete sequence is declared for a list that others also write, such as the interfaces of a vsys. Their members would be removed.",
    next: "Use `{ $include: [...] }`, or make the path exclusive.",
  },
  "submodule-in-documents": {
    meaning: "A document folder contains a git submodule. `git clone` and the agent leave it empty, so its objects would be deleted.",
    next: "Commit the documents to this repository: `git rm --cached FOLDER`, delete `FOLDER/.git`, `git add FOLDER`. A submodule without documents can be in `exclude:`.",
  },
  "targets-kinds": {
    meaning: "`targets:` of a document selects targets of several kinds.",
    next: "Add `kind:` to `targets:`.",
  },
  "targets-none": {
    meaning: "`targets:` of a document or group selects no target, or uses an unknown label or group.",
    next: "Correct it. Labels are in `labels:` of targets, groups in `groups:` of `plumbline.yaml`.",
  },
  "trailing-newline": {
    meaning: "The text of a leaf ends with a line break. This is a warning: devices usually drop it, so the leaf always differs.",
    next: "Write `|-` instead of `|`, or `|+` if it is intended.",
  },
  "unknown-alias": {
    meaning: "A value starts with an unquoted `*` and is read as a YAML alias.",
    next: "Quote it: `'*.example.com'`.",
  },
  "unknown-directive": {
    meaning: "A key that starts with `$` is not a directive.",
    next: "Correct it. An entry whose name starts with `$` belongs under `$entries`.",
  },
  "unknown-element": {
    meaning:
      "An element is unknown and similar to a known one. This is a warning; it is loaded as written. If the table of elements is complete, it is an [error](#unknown-field).",
    next: "Correct the name, or write `unknown: allow` in the document.",
  },
  "unknown-extension": {
    meaning: "A document has another extension than `.yaml` or `.yml`.",
    next: "Rename or move it, or list it in `exclude:`.",
  },
  "unknown-field": {
    meaning:
      "A document names a field that objects of this kind do not have. Some cases are a warning first ([unknown fields](desired-state.md#unknown-fields)).",
    next: "Correct the name as the message suggests. If a firewall has the field, write `unknown: allow` in the document.",
  },
  "unknown-reference": {
    meaning: "A `${…}` is empty, not closed, names no known source, or is at a place without references (a name, `$exclude`).",
    next: "Write `${env:NAME}`, `${file:PATH}`, `${exec:COMMAND}`, `${keep}` or `${target:path}`. `$${` is a literal `${`.",
  },
  "unknown-scope": {
    meaning: "`scope:` or `at:` is not a place for a document.",
    next: "Write a scope of the kind, such as `vsys1`, or `at:` with an absolute XPath of a container or entry. A list is a key in `config:`.",
  },
  "value-conflict": {
    meaning: "A target is in two groups with different values of one name and has no value of its own.",
    next: "Give the target its own value, or remove it from one group.",
  },
  "value-missing": {
    meaning: "`${value:NAME}` has no value from the target, its groups or a default.",
    next: "Add a value or default, or exclude the target with `except:`.",
  },
  "value-type": {
    meaning: "A value is not valid for its field ([values](desired-state.md#values)), or does not match its `type:` in `values:`.",
    next: 'Correct the value or type. A list value can be a list\'s only member: `["${value:dns}"]`. `unknown: allow` in a document disables the check of fields.',
  },
  "value-unknown": {
    meaning: "`${value:NAME}`, a target or a group uses a name that `values:` of `plumbline.yaml` does not declare.",
    next: "Correct the name, or declare it in `values:`.",
  },
  "wrong-shape": {
    meaning: "A value has the wrong form for its place: a scalar, a map or a sequence instead of another.",
    next: "Write the form that the message names. `$entries`, `$members` and `$xml` set the form explicitly.",
  },
  "xml-doctype": {
    meaning: "A document has `<!DOCTYPE …>`, which could define entities that grow without limit or read files. Often it is a web page.",
    next: "Check the address of the target and proxies. Remove the declaration from a file.",
  },
  "xml-encoding": {
    meaning: "A document is not UTF-8 or declares another encoding.",
    next: "Convert it (`iconv -f ISO-8859-1 -t UTF-8`) and its declaration. If a device sent it, run again.",
  },
  "xml-fragment": {
    meaning: "The text of `$xml` is not well-formed XML, or text is next to elements.",
    next: "Write the content without the element itself, and escape `&` and `<`.",
  },
  "xml-malformed": {
    meaning: "A document is not well-formed XML. A truncated reply would make the rest look deleted.",
    next: "Run again for a reply, and look for a proxy. Export a file again, or correct `$xml`.",
  },
  "xml-too-deep": {
    meaning: "Elements are nested deeper than 256 levels. Real configurations have fewer than 30.",
    next: "Check the source at the line of the message.",
  },
  "xml-too-large": {
    meaning: "A document exceeds 256 MiB or 16,000,000 elements.",
    next: "Own smaller subtrees, and check the address.",
  },
  "xml-unwritable": {
    meaning: "A value or name cannot be written as XML, because of a control character or half of a surrogate pair.",
    next: "Remove the character.",
  },
  "xpath-expression-invalid": {
    meaning:
      "The expression of `plumbline get` is not XPath 1.0, uses variables or namespace prefixes, or is longer than 4,096 characters. XPath 2.0 functions such as `matches()` do not exist.",
    next: "Correct it, and put it in quotes: `plumbline get \"//address/entry[starts-with(@name, 'web-')]\"`.",
  },
  "xpath-malformed": {
    meaning:
      "A path is invalid at the named character. Paths consist of child steps and predicates such as `[@name='web']`, `[text()='any']`, `[2]`, `[position()<4]` and `[last()]`, joined by `or` and `and`, without `//`, `..` and other functions.",
    next: "Use double quotes for a text with an apostrophe, or `concat()`. Quote the path for the shell.",
  },
  "xpath-not-exact": {
    meaning:
      "A path must name one node but may select several: it contains `*`, a position, `or`, or an `entry` or `member` without a predicate.",
    next: "Select one node in each step: `entry[@name='…']`, `member[text()='any']`.",
  },
  "xpath-too-costly": {
    meaning: "The expression of `plumbline get` visited more nodes than the limit in the message.",
    next: "Start with the complete path instead of `//`. Use `preceding-sibling::entry[1]` or `position()` instead of counting siblings, `=` to compare lists, and avoid `following::` and `preceding::`.",
  },
  "yaml-merge-key": {
    meaning: "A map contains the merge key `<<`, which YAML 1.2 does not have.",
    next: "Write the keys, or use an alias for the complete value.",
  },
  "yaml-tag": {
    meaning: "A document contains a tag (`!!int`), a directive (`%YAML`), or an anchor on a key.",
    next: "Delete it. Quote a value that starts with `!`, and put an anchor after the colon.",
  },
};
