echo out; echo err >&2
printf '%s' 'no end of line'
exit 7
