# case: {"stdin": "one\ntwo words\nrest\nof it"}
read -r first
read -r -a words
echo "$first ${#words[@]}"
cat
read -r end || echo "end $?"
