#!/bin/sh
# Prepares $PLUMBLINE_HOME (a checkout of Plumbline). Does nothing if it is ready, or if PLUMBLINE_COMMAND names another program.
# For the tag of a release ($PLUMBLINE_REF), it installs the package of that release from $PLUMBLINE_RELEASES after it has checked the
# SHA-256 checksum. Nothing is built in the job then.
set -eu
if [ -n "${PLUMBLINE_COMMAND:-}" ]; then
  echo "using $PLUMBLINE_COMMAND"
  exit 0
fi
cd "$PLUMBLINE_HOME"
if [ -f dist/cli.js ] && [ -d node_modules ]; then
  echo "using $PLUMBLINE_HOME"
  exit 0
fi
version="$(node --print 'require("./package.json").version')"
# The tags `v1` and `v1.2` follow the newest `v1.2.3`. Other names are not a release of this version.
case "${PLUMBLINE_RELEASES:+v$version.}" in
  "${PLUMBLINE_REF:-none}".*)
    name="plumbline-network-$version.tgz"
    folder="$(mktemp -d)"
    # Downloads a file of the release. Fails if the release does not have it. curl also knows the proxy of the runner.
    download() {
      url="$PLUMBLINE_RELEASES/v$version/$1"
      if command -v curl > /dev/null; then
        curl --fail --silent --show-error --location --retry 2 --output "$folder/$1" "$url"
      else
        node -e 'const [url, file] = process.argv.slice(1);
          fetch(url).then(async (reply) => {
            if (!reply.ok) throw new Error(`HTTP status ${reply.status}`);
            require("node:fs").writeFileSync(file, Buffer.from(await reply.arrayBuffer()));
          }).catch((error) => { console.error(`${url}: ${error}`); process.exit(1); });' "$url" "$folder/$1"
      fi
    }
    if download "$name"; then
      if ! download SHA256SUMS || ! grep -E "^[0-9a-f]{64}  $name\$" "$folder/SHA256SUMS" > "$folder/sum" ||
        ! (cd "$folder" && sha256sum -c sum >/dev/null); then
        echo "error: $PLUMBLINE_RELEASES/v$version/$name does not match the SHA-256 checksum of the release" >&2
        exit 1
      fi
      npm install --prefix release --no-save --ignore-scripts --no-audit --no-fund "$folder/$name"
      echo "using $PLUMBLINE_RELEASES/v$version/$name"
      exit 0
    fi
    echo "no package at $PLUMBLINE_RELEASES/v$version/$name: building it here" >&2
    ;;
esac
# Builds Plumbline. Install scripts of other packages do not run.
npm ci --ignore-scripts --no-audit --no-fund
npm run build
