#!/bin/bash
# Becomes a sandbox without gVisor: new namespaces, a small root made of this machine's /usr, and the agent as pid 1 in it.
# Everything mounted here vanishes with the mount namespace. stdin and stdout are the agent's channel: nothing else may use
# them.
#
#   sandbox.sh AGENT LANGUAGE NODE       NODE: what stands in for the JavaScript interpreter
set -euo pipefail

if [ "${IN_NAMESPACES:-}" != yes ]; then
    IN_NAMESPACES=yes exec unshare --mount --pid --ipc --uts --net --fork --kill-child -- "$0" "$@"
fi
agent=$1 language=$2 node=$3

root=/mnt
mount -t tmpfs -o mode=0755 sandbox-root "$root"
cd "$root"
mkdir -m 0755 usr etc dev proc workspace sbin
mkdir -m 1777 tmp
# This machine's programs, and the hook of a parked Bash among them; read-only, having no upper layer.
mount -t overlay -o "lowerdir=$BASH_HOOK:/usr" sandbox-usr usr
mount --bind -o ro /etc etc
for link in bin lib lib64; do
    ln -s "usr/$link" "$link"
done
mount -t tmpfs -o mode=0755 sandbox-bin usr/local/bin
install -m 0755 "$node" usr/local/bin/node
install -m 0755 "$agent" sbin/agent
mkdir dev/shm
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/urandom c 1 9
mkdir dev/net
mknod -m 666 dev/net/tun c 10 200
mknod -m 666 dev/fuse c 10 229
ln -s ../fuse dev/net/again
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin
ln -s fd/1 dev/stdout
ln -s fd/2 dev/stderr
mount -t proc proc proc
exec chroot . /sbin/agent --language "$language"
