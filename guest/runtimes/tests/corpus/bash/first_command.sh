# What is set before any command has run.
declare -p | grep -E ' (_|RANDOM|SRANDOM|SECONDS|PIPESTATUS|BASH_ARGV.*)\b'
