#!/usr/bin/env bash
# Builds the image with podman, buildah or docker: build.sh [NAME:TAG [ARCHIVE]]. ARCHIVE is a file that the image is then
# saved in, for `podman load` and `docker load`. Without any of them it checks the files, or ends with 69 if it has to save.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
image=${1:-localhost/terminal-gateway:$version}
archive=${2:-}
common=(--file .config/container/Containerfile --tag "$image" --label "org.opencontainers.image.version=$version")
if revision=$(git rev-parse HEAD 2>/dev/null); then
  common+=(--label "org.opencontainers.image.revision=$revision")
fi

# Podman and Buildah leave HEALTHCHECK out unless the format is that of Docker.
if command -v podman >/dev/null; then
  podman build --format docker "${common[@]}" .
  [ -z "$archive" ] || podman save --format docker-archive --output "$archive" "$image"
elif command -v buildah >/dev/null; then
  buildah build --format docker "${common[@]}" .
  [ -z "$archive" ] || buildah push "$image" "docker-archive:$archive:$image"
elif command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  docker build "${common[@]}" .
  [ -z "$archive" ] || docker save --output "$archive" "$image"
else
  echo 'There is no podman or buildah here, and no running docker: no image is built.' >&2
  [ -z "$archive" ] || exit 69
  echo 'Checking the files instead.'
  export PATH="$PWD/node_modules/.bin:$PATH"
  exec vitest run -c .config/vitest.config.ts --project server test/container
fi
