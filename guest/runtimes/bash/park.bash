# Sourced as $BASH_ENV by the parked Bash, before it opens its script: park_bash.c has the rest.
enable -f /usr/lib/hexr-sandbox/park_bash.so hexr_park || exit 70
hexr_park
