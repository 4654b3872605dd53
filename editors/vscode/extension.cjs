// Starts `plumbline lsp` for the YAML files of VS Code. Build: npm install && npx @vscode/vsce package
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const [command, ...args] = workspace.getConfiguration("plumbline").get("command");
  const watched = workspace.createFileSystemWatcher("**/*.{yaml,yml}");
  client = new LanguageClient(
    "plumbline",
    "Plumbline",
    { command, args },
    { documentSelector: [{ scheme: "file", language: "yaml" }], synchronize: { fileEvents: watched } },
  );
  await client.start();
};

exports.deactivate = () => client?.stop();
