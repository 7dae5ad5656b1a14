# shellcheck shell=bash
# ./dev lab: an emulated PC with a real Firecracker in it, see lab/README.md.

# Sets what lab/lab.py needs to know of, in its environment.
need_lab() {
    [[ $(uname -m) == x86_64 ]] || die "this machine is $(uname -m): the lab is built for x86_64 only"
    # setpriv (util-linux) ties the emulator's life to ours; busybox has the outer machine's small tools
    install_packages python3 util-linux busybox-static cpio xz-utils erofs-utils e2fsprogs
    need_qemu
    need_jdk
    need_debian_kernel
    need_firecracker_tests
    need_image
    need_kernel
    need_launcher
    LAB_MACHINE=$SANDBOX_CACHE/lab/$(lab_machine_key)
    cached "$LAB_MACHINE" "the lab's outer machine" build_lab_machine
    keep_newest 2 "$LAB_MACHINE"
    LAB_STATE=$SANDBOX_CACHE/lab-state/$(basename "$GUEST_IMAGE")
    cached "$LAB_STATE" "the lab's disk (about 10 s)" build_lab_state
    keep_newest 2 "$LAB_STATE"
    export LAB_MACHINE LAB_STATE
}

# QEMU 10 emulates an AMD-V on which KVM works; bookworm's 7.2 does not.
need_qemu() {
    local version
    version=$(qemu-system-x86_64 --version 2>/dev/null | grep -oE -m1 '[0-9]+\.[0-9]+' || true)
    [[ -z $version || $(printf '%s\n' 10.0 "$version" | sort -V | head -1) != 10.0 ]] || return 0
    is_root || die "no QEMU 10 or newer" "run as root to install it, or put qemu-system-x86_64 on the path"
    apt_update
    install_from "$(backports_source)" -t bookworm-backports qemu-system-x86
}

lab_machine_key() {
    { content_key "$DEV" lab/inside/init dev.d/lab.sh && cat "$JAVA_HOME/release" && echo "$DEBIAN_KERNEL"; } |
        sha256sum | cut -c1-16
}

# build_lab_machine DIRECTORY: kernel, initramfs, and a drive with a JDK and the small tools.
build_lab_machine() {
    local out=$1 initramfs=$1/initramfs tools=$1/tools module applet
    cp "$DEBIAN_KERNEL"/boot/vmlinuz-* "$out/vmlinuz"

    mkdir -p "$initramfs"/{bin,modules} "$tools"/{bin,java}
    cp /bin/busybox "$initramfs/bin/"
    cp "$DEV/lab/inside/init" "$initramfs/init"
    # in the order in which they need one another
    for module in virtio_blk failover net_failover virtio_net libcrc32c erofs irqbypass kvm kvm-amd; do
        find "$DEBIAN_KERNEL/lib/modules" -name "$module.ko.xz" -exec xz -dc {} + >"$initramfs/modules/$module.ko"
        echo "$module" >>"$initramfs/modules/order"
    done
    (cd "$initramfs" && find . | cpio --quiet -o -H newc) >"$out/initramfs.cpio"

    cp /bin/busybox "$tools/bin/"
    for applet in $(busybox --list); do
        [[ $applet == busybox ]] || ln -s busybox "$tools/bin/$applet"
    done
    # The whole JDK, with its archive of loaded classes: a runtime of a few modules would start more slowly.
    tar -C "$JAVA_HOME" -c --exclude=./lib/src.zip --exclude=./man --exclude=./include --exclude=./legal . | tar -C "$tools/java" -x
    mkfs.erofs --quiet "$out/machine.erofs" "$tools" >&2
    rm -rf "$initramfs" "$tools"
}

# build_lab_state DIRECTORY: the disk on which the engine keeps its state. The image lies on it, because a jail gets it by
# hard link. What a lab writes to the disk is forgotten with it, so there is nothing for a journal to protect.
build_lab_state() {
    local contents=$1/contents
    mkdir -p "$contents/image"
    cp --reflink=auto "$GUEST_IMAGE"/{root.erofs,manifest.json} "$contents/image/"
    truncate -s 8G "$1/state.ext4"
    mke2fs -q -t ext4 -O ^has_journal -d "$contents" "$1/state.ext4" >&2
    rm -rf "$contents"
}

# Sets and exports LAB_TEMPLATES: the lab's disk as an engine's first start leaves it. Needs LAB_ENGINE, which is not in the key: as
# on any machine, a newer engine makes templates that do not fit it anew.
need_lab_templates() {
    LAB_TEMPLATES=$SANDBOX_CACHE/lab-templates/$(lab_templates_key)
    cached "$LAB_TEMPLATES" "the lab's templates (about 4 min)" build_lab_templates
    keep_newest 2 "$LAB_TEMPLATES"
    export LAB_TEMPLATES
}

lab_templates_key() {
    {
        basename -a "$LAB_MACHINE" "$LAB_STATE" "$GUEST_KERNEL"
        sha256sum <"$FIRECRACKER_BIN" && sha256sum <"$JAILER_BIN" && sha256sum <"$LAUNCHER_BIN" && content_key "$DEV" lab/inside
    } | sha256sum | cut -c1-16
}

build_lab_templates() {
    cp --sparse=always --reflink=auto "$LAB_STATE/state.ext4" "$1/"
    LAB_TEMPLATES=$1 python3 -B "$DEV/lab/lab.py" --make-templates >&2
}

# Sets and exports LAB_ENGINE: the directory of the engine's jar. Needs JAVA_HOME.
need_lab_engine() {
    need_engine
    LAB_ENGINE=$(dirname "$ENGINE_JAR")
    export LAB_ENGINE
}

# Sets and exports LAB_TESTS: a directory with the engine's tests, compiled, and their libraries. Needs JAVA_HOME.
need_lab_tests() {
    local key
    key=$(engine_tests_key "$DEV")
    export LAB_TESTS=$SANDBOX_CACHE/engine-tests/$key
    cached "$LAB_TESTS" "the engine's tests" build_engine_tests "$key"
    keep_newest 2 "$LAB_TESTS"
}

# Not content_key, which leaves tests out.
engine_tests_key() {
    (cd "$1/engine" && find pom.xml .mvn src -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) | sha256sum | cut -c1-16
}

# From a copy of the sources, as build_engine does.
build_engine_tests() {
    local key=$1 out=$2 copy=$2/copy
    need_maven
    mkdir -p "$copy/engine"
    cp -a "$DEV"/engine/{pom.xml,.mvn,src} "$copy/engine/"
    [[ $(engine_tests_key "$copy") == "$key" ]] || die "sources of the engine were changed meanwhile" "run it again"
    "$MAVEN" -q -B -f "$copy/engine/pom.xml" test-compile dependency:copy-dependencies -DincludeScope=test \
        "-DoutputDirectory=$out/lib" >&2 </dev/null
    mv "$copy"/engine/target/{classes,test-classes} "$out/"
    rm -rf "$copy"
}

dev_lab() {
    case " $* " in
        *' --help '* | *' -h '*) ;;
        *' --run '* | *' --shell '*) need_lab ;;
        *' --junit '*) need_lab_test_parts ;;
        *)
            need_lab
            need_lab_engine
            need_lab_templates
            ;;
    esac
    exec python3 "$DEV/lab/lab.py" "$@"
}

# For dev.d/test-lab.
need_lab_test_parts() {
    need_lab
    need_lab_engine
    need_lab_tests
}
