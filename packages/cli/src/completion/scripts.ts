import type { Shell } from './shells.ts'

/** Scripts that ask `pergola __complete` what can stand at the cursor. */
export const completionScripts: Readonly<Record<Shell, string>> = {
  bash: `_pergola() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default; return ;;
      :open) compopt -o nospace ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <(pergola __complete bash "$COMP_LINE" "$COMP_POINT" 2>/dev/null)
}
complete -F _pergola pergola
`,
  zsh: `#compdef pergola
_pergola() {
  local line word open=0
  local -a words_found texts
  while IFS= read -r line; do
    case $line in
      :files) _files; return ;;
      :open) open=1 ;;
      *)
        word=\${line%%$'\\t'*}
        words_found+=("$word")
        if [[ $line == *$'\\t'* ]]; then texts+=("$word  -- \${line#*$'\\t'}"); else texts+=("$word"); fi ;;
    esac
  done < <(pergola __complete zsh "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#words_found} )) || return 1
  if (( open )); then compadd -S '' -l -d texts -a words_found; else compadd -l -d texts -a words_found; fi
}
if [[ $funcstack[1] == _pergola ]]; then _pergola; else compdef _pergola pergola; fi
`,
  fish: `function __pergola_complete
  set -l words (commandline -opc)[2..-1]
  set -l found (pergola __complete fish $words (commandline -ct) 2>/dev/null)
  if test "$found[1]" = :files
    __fish_complete_path (commandline -ct)
    return
  end
  for line in $found
    test "$line" = :open; or echo $line
  end
end
complete -c pergola -f -a '(__pergola_complete)'
`,
}
