# case: {"environment": {"BASH_ENV": "/workspace/start.sh"}, "files": {"start.sh": "echo sourced $0 $#\nX=1\n"}}
echo "$X $BASH_ENV"
bash -c 'echo child'
