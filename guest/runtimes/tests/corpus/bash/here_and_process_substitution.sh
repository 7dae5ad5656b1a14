cat <<X
$0 $((6 * 7))
X
diff <(echo a) <(echo b)
while read -r line; do echo "<$line>"; done < <(printf '%s\n' x y)
mapfile -t lines <<<$'p\nq'; echo "${#lines[@]}"
exec {descriptor}</etc/hostname; echo "$descriptor"; exec 3</dev/null; readlink /proc/$$/fd/3
