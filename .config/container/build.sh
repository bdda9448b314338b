#!/usr/bin/env bash
# Builds the image with podman, buildah or docker: build.sh [NAME:TAG]. Without any of them, it checks the files.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
image=${1:-localhost/terminal-gateway:$version}
common=(--file .config/container/Containerfile --tag "$image" --label "org.opencontainers.image.version=$version")
if revision=$(git rev-parse HEAD 2>/dev/null); then
  common+=(--label "org.opencontainers.image.revision=$revision")
fi

# Podman and Buildah leave HEALTHCHECK out unless the format is that of Docker.
if command -v podman >/dev/null; then
  exec podman build --format docker "${common[@]}" .
elif command -v buildah >/dev/null; then
  exec buildah build --format docker "${common[@]}" .
elif command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  exec docker build "${common[@]}" .
fi
echo 'There is no podman or buildah here, and no running docker: no image is built. Checking the files instead.'
export PATH="$PWD/node_modules/.bin:$PATH"
exec vitest run -c .config/vitest.config.ts --project server test/container
