# shellcheck shell=bash
# The base: Debian bookworm with the packages of `packages`, cleaned, compiled, with the font list of matplotlib.
# It changes seldom and takes a minute; the final image puts Node.js, agent and runtimes on top in seconds.

: "${recipe:?}"

# All file times in the image. Not 0: zipfile refuses times before 1980.
export SOURCE_DATE_EPOCH=1767225600

# Names of a list file, comments left out.
names_in() { sed 's/#.*//' "$1" | awk 'NF { print $1 }'; }

# in_root ROOT COMMAND...: runs a program of the guest, with the writable file systems that the agent would mount. In
# namespaces of its own, so that its mounts and whatever it leaves running end with it, and without a network, so that
# nothing can enter the image that is not pinned.
in_root() {
    local root=$1
    shift
    # shellcheck disable=SC2016 # expands inside
    env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin HOME=/tmp LANG=C.UTF-8 PYTHONHASHSEED=0 \
        SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" \
        unshare --mount --pid --net --ipc --fork --kill-child -- bash -euc '
            mount -t proc proc "$1/proc"
            mount --rbind /dev "$1/dev"
            mount -t tmpfs none "$1/tmp"
            mount -t tmpfs -o uid=1000,gid=1000,mode=755 none "$1/workspace"
            exec chroot "$@"' in_root "$root" "$@"
}

# A local repository with one empty package for each line of `stand-ins`.
stand_in_repository() {
    local directory=$1 name deb
    mkdir -p "$directory"
    while read -r name; do
        mkdir -p "$directory/$name/DEBIAN"
        printf '%s\n' "Package: $name" 'Version: 999' 'Architecture: all' 'Maintainer: none <none@localhost>' \
            'Description: stands in for a dependency that nothing uses here' >"$directory/$name/DEBIAN/control"
        deb=$directory/${name}_999_all.deb
        dpkg-deb --root-owner-group --build "$directory/$name" "$deb" >/dev/null
        rm -r "${directory:?}/$name"
        {
            dpkg-deb --field "$deb"
            printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' \
                "$(basename "$deb")" "$(stat -c %s "$deb")" "$(sha256sum "$deb" | cut -d' ' -f1)"
        } >>"$directory/Packages"
    done < <(names_in "$recipe/stand-ins")
}

# What this machine's apt needs to reach its mirror (proxies, clocks) holds for the guest's apt too.
apt_transport_options() {
    apt-config dump --format '%F "%v";%n' Acquire | grep -E '^Acquire::(http|https|ftp|Check-|Max-|Retries)' || true
}

debootstrap_base() {
    local root=$1 work=$2 include
    stand_in_repository "$work/stand-ins"
    apt_transport_options >"$work/apt.conf"
    local sources
    sources=$(debian_sources bookworm bookworm-updates bookworm-security)
    [[ $sources == *' bookworm main'* ]] || die "apt on this machine has no Debian bookworm source" \
        "the guest is built from it: add bookworm main to /etc/apt/sources.list, then run again"
    include=$(names_in "$recipe/packages" | paste -sd,)
    {
        printf '%s\n' "$sources"
        printf 'deb [trusted=yes] copy://%s ./\n' "$work/stand-ins"
    } | mmdebstrap --variant=essential --mode=root --format=directory --quiet --include="$include" \
        --aptopt="$work/apt.conf" \
        --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-exclude=/usr/share/info/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/lintian/*' \
        --dpkgopt='path-exclude=/usr/include/*' \
        bookworm "$root" - >&2
}

# Removes what a guest never uses or must not have.
clean_base() {
    local root=$1
    rm -rf "${root:?}"/{boot,media,mnt,srv,opt,dev,run,tmp}/* "$root"/var/{cache,log,backups}/* \
        "$root"/var/lib/apt "$root"/var/lib/dpkg/{info,triggers,updates,*-old} "$root"/root/.??* \
        "$root"/etc/{apt,dpkg,cron.*,init.d,rc?.d,systemd,pam.d,logrotate.d,machine-id,.pwd.lock}
    # The tests of the large packages, 140 MB. Their public helpers (numpy.testing and such) are elsewhere, and nothing else
    # imports from there; other packages do (openpyxl).
    find "$root"/usr/lib/python3/dist-packages/{matplotlib,mpmath,mpl_toolkits,numpy,pandas,scipy,sympy} \
        -depth -type d -name tests -exec rm -rf {} +
    find "$root" -xdev -name __pycache__ -exec rm -rf {} +
    # Users change neither password nor identity here.
    find "$root" -xdev -perm /6000 -exec chmod u-s,g-s {} +
}

write_base_files() {
    local root=$1
    printf '%s\n' 'root:x:0:0:root:/root:/bin/bash' 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin' \
        'sandbox:x:1000:1000:sandbox:/workspace:/bin/bash' >"$root/etc/passwd"
    printf '%s\n' 'root:x:0:' 'tty:x:5:' 'nogroup:x:65534:' 'sandbox:x:1000:' >"$root/etc/group"
    # No account has a password, not even an unusable one to read.
    rm -f "$root"/etc/{shadow,gshadow,subuid,subgid}{,-} "$root"/etc/{passwd,group}- "$root/etc/security/opasswd"
    echo sandbox >"$root/etc/hostname"
    echo '127.0.0.1 localhost sandbox' >"$root/etc/hosts"
    rm -f "$root/etc/resolv.conf"
    ln -sfn /usr/share/zoneinfo/Etc/UTC "$root/etc/localtime"
    echo Etc/UTC >"$root/etc/timezone"
    mkdir -p "$root/workspace"
}

# All modules in the guest that are not compiled yet. -B: what this Python itself loads is not to be compiled its own way.
compile_python() { in_root "$1" python3 -IB - <"$recipe/compile.py" >&2; }

# matplotlib looks for fonts at its first import, for seconds; the runtimes' hook hands it this list.
build_font_list() {
    local root=$1
    mkdir -p "$root/usr/share/hexr-sandbox/matplotlib"
    in_root "$root" env MPLCONFIGDIR=/usr/share/hexr-sandbox/matplotlib \
        python3 -B -c 'import matplotlib.font_manager' >&2
    compgen -G "$root/usr/share/hexr-sandbox/matplotlib/fontlist-*.json" >/dev/null || die "matplotlib wrote no font list"
}

# build_base DIRECTORY: base.tar and packages.txt (what Debian gave) in DIRECTORY.
build_base() {
    local out=$1 root=$1/root work=$1/work
    mkdir "$work"
    debootstrap_base "$root" "$work"
    dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${Package} ${Version}\n' | LC_ALL=C sort >"$out/packages.txt"
    say "base root: cleaning, compiling Python's modules, listing fonts"
    clean_base "$root"
    write_base_files "$root"
    compile_python "$root"
    build_font_list "$root"
    tar -C "$root" --numeric-owner --sort=name --mtime="@$SOURCE_DATE_EPOCH" -cf "$out/base.tar" .
    rm -rf "$root" "$work"
}
