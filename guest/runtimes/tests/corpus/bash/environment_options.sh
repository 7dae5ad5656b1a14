# case: {"environment": {"SHELLOPTS": "nounset", "BASHOPTS": "extglob", "PS4": "> "}}
echo "$-"
shopt extglob
set -x
: traced
echo "$unset"
