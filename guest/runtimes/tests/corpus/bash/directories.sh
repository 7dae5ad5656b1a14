pwd; cd -; echo "$? $OLDPWD"
cd /tmp && pwd && cd - && echo "$OLDPWD" && dirs -p
echo text >new && cat new
declare -p PWD OLDPWD
