# What a script can list about its shell at its start. $SECONDS is 1 when the clock goes on to another second.
echo "$0|$#|$?|$_|$-|$LINENO|${PIPESTATUS[*]}|$BASH_SUBSHELL|$PPID|${FUNCNAME[*]}|${BASH_SOURCE[*]}|${BASH_LINENO[*]}|$((SECONDS < 10))"
declare -p | grep -vE '^declare -\S+ (BASH_ARGC|HOSTNAME|RANDOM|SRANDOM|SECONDS|BASHPID|EPOCHREALTIME|EPOCHSECONDS)='
declare -F
declare -f
set -o
shopt
trap -p
enable -a
enable -ap | wc -l
alias
hash
history
jobs -l
umask
ulimit -c -f -s -t -v
type hexr_park
help hexr_park
compgen -A builtin | wc -l
compgen -v
dirs -v
times | wc -l
pwd -P
pwd -L
echo "${!B*} ${!H*}"
caller
ls /proc/self/fd
env
bash -c 'env | sort; declare -p BASH_ENV HEXR_PARK_FD OLDPWD'
cat /proc/$$/comm
cd /proc/$$/fd
echo *
