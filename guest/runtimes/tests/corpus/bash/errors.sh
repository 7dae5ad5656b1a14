set -eu
trap 'echo "trap at $LINENO: $BASH_COMMAND $?"' ERR EXIT
f() { no-such-command; }
f || echo "status $?"
caller || true
false
echo unreachable
