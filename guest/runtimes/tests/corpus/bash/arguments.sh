# case: {"arguments": ["a b", "", "*"]}
printf '%s|' "$0" "$#" "$@" "$_" "${BASH_ARGV[@]}"
shift; echo "$1 $#"
