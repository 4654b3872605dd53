export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/**
 * Completion scripts for shells. A script runs `plumbline complete -- WORDS` at each press of the key, passes the words unchanged and
 * evaluates no typed text. (Packages that generate such scripts pass the typed line to `eval`.)
 */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# plumbline completion bash >/etc/bash_completion.d/plumbline, or in ~/.bashrc: source <(plumbline completion bash)
_plumbline() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(plumbline complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # After "--flag=" readline replaces what follows the sign alone.
  [[ \${COMP_WORDS[COMP_CWORD]} == "=" || \${COMP_WORDS[COMP_CWORD - 1]} == "=" ]] && COMPREPLY=("\${COMPREPLY[@]#--*=}")
  return 0
}
complete -F _plumbline plumbline
`,
  zsh: `#compdef plumbline
# plumbline completion zsh >~/.zfunc/_plumbline, with ~/.zfunc in fpath; or in ~/.zshrc: source <(plumbline completion zsh)
_plumbline() {
  local -a found
  local line files
  for line in "\${(@f)$(plumbline complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :files) files=1 ;;
      ?*) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done
  (( $#found )) && _describe plumbline found
  [[ -n $files ]] && _files
  return 0
}
if [[ $funcstack[1] = _plumbline ]]; then _plumbline "$@"; else compdef _plumbline plumbline; fi
`,
  fish: `# plumbline completion fish >~/.config/fish/completions/plumbline.fish
function __plumbline_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    for line in (plumbline complete -- $words[2..] "$typed" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$typed"
        else
            echo $line
        end
    end
end
complete -c plumbline -f -a '(__plumbline_complete)'
`,
};
