echo "${PIPESTATUS[@]-none}" "$?"
false | true | exit 3
echo "${PIPESTATUS[@]}" "$?" "${BASH_ARGC[@]}"
