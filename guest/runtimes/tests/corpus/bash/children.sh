# What children and subshells see.
bash -c 'echo "$0 $# $((PPID == $1)) ${BASH_ENV-unset} ${HEXR_PARK_FD-unset}"; enable -a | grep -c hexr' name $$
(echo "$BASH_SUBSHELL"; ((BASHPID != $$)) && echo subshell)
echo "$(echo substitution; exit 4) $?"
sleep 0.01 & wait $!; echo "$? ${!:+started}"
python3 -c 'import os; print(sorted(os.environ))'
exec env | sort
