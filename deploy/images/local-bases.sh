#!/bin/sh
# Two base images where no image registry is in reach, out of Debian's packages and npm's packages `node` and `npm`:
#   offer-ads-base/node   Debian with Node, npm and Python, to build with
#   offer-ads-base/run    glibc, libstdc++ and certificates, to run on; no shell, no package manager
# As root, with docker, debootstrap and npm. Debian comes from where apt has it, unless a mirror is given:
#   deploy/images/local-bases.sh [mirror]
#   npm run images -- --node-image offer-ads-base/node --runtime-image offer-ads-base/run
set -eu

suite=bookworm
repository=$(cd "$(dirname "$0")/../.." && pwd)
mirror=${1:-$(apt-get indextargets --format '$(REPO_URI)' "Codename: $suite" | sort -u | head -n 1)}
node_version=$(sed -n 's/^ *"node": "\([0-9.]*\)",$/\1/p' "$repository/package.json")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

build=$work/node
debootstrap --variant=minbase --include=ca-certificates,python3-venv "$suite" "$build" "$mirror"

run=$work/run
mkdir -p "$run/var/lib/dpkg/status.d" "$run/etc/ssl"
for name in base-files libc6 libgcc-s1 gcc-12-base libstdc++6; do
  deb=$(find "$build/var/cache/apt/archives" -name "${name}_*.deb")
  dpkg-deb --extract "$deb" "$run"
  # Scanners look here where there is no dpkg.
  dpkg-deb --field "$deb" >"$run/var/lib/dpkg/status.d/$name"
done
find "$run/usr/share/doc" -type f ! -name copyright -delete
rm -rf "$run/usr/share/locale" "$run/usr/share/man" "$run/usr/share/lintian"

# Whom this machine trusts, a company's own authority too.
cp /etc/ssl/certs/ca-certificates.crt "$build/etc/ssl/certs/ca-certificates.crt"
cpu=$(node --print process.arch)
npm install --prefix "$work/packages" --ignore-scripts --no-audit --no-fund "node-linux-$cpu@$node_version" npm@11
install "$work/packages/node_modules/node-linux-$cpu/bin/node" "$build/usr/local/bin/node"
mkdir -p "$build/usr/local/lib/node_modules"
cp -r "$work/packages/node_modules/npm" "$build/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$build/usr/local/bin/npm"
rm -rf "$build/var/cache/apt/archives" "$build/var/lib/apt/lists" "$build/usr/share/doc" "$build/usr/share/man" "$build/usr/share/locale"

# Not by `docker import`: of what stands on an imported image BuildKit keeps no layer for the next build.
for name in node run; do
  mkdir "$work/context-$name"
  tar --directory "$work/$name" --numeric-owner --create --file "$work/context-$name/root.tar" .
  printf 'FROM scratch\nADD root.tar /\n' >"$work/context-$name/Dockerfile"
  docker build --tag "offer-ads-base/$name" "$work/context-$name"
done
