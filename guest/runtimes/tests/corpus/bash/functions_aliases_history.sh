alias; shopt -s expand_aliases; alias hi='echo hello'
hi there
set -o history; echo recorded; history | wc -l
f() { local -; set -f; echo "$- ${FUNCNAME[*]} ${BASH_LINENO[*]} ${BASH_SOURCE[*]}"; }; f; echo $-
type -t hexr_park enable cd f
hash; ls / >/dev/null; hash -t ls
source /dev/stdin <<<'echo "sourced ${BASH_SOURCE[*]} $# ${BASH_ARGC[*]}"'
return 2>/dev/null; echo "$?"
