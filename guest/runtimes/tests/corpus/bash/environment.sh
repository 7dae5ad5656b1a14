# case: {"environment": {"NAME": "value of several\nlines", "EMPTY": "", "LANG": "C", "BASH_ENV": "", "not-a-name": "1"}}
declare -p NAME EMPTY LANG BASH_ENV
env | sort
echo "${#NAME}" ü
