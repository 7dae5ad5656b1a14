trap -p
trap 'echo got it' TERM; kill -TERM $$
kill -s PIPE $BASHPID; echo "unreachable"
