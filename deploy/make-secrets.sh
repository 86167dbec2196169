#!/bin/sh
# Creates random secrets for deploy/compose.yaml; keeps existing ones. Git and the image ignore them.
# Needs sudo: only the image's account can read the files.
set -eu
cd "$(dirname "$0")"
umask 077
if [ "$(id -u)" != 0 ]; then
  echo "must run as root (use sudo): changes the owner of the files to account 10001, which the image runs as" >&2
  exit 1
fi
mkdir -p secrets plugins
chmod 0711 secrets
chmod 0755 plugins

make() {
  [ -s "secrets/$1" ] || echo "$2" >"secrets/$1"
  chown 10001:10001 "secrets/$1"
}
make admin-password "$(openssl rand -hex 32)"
make sealing-key "$(openssl rand -base64 32)"
# Starts with a letter: NATS would parse a value such as 7e12 as a number.
make nats-password "n$(openssl rand -hex 32)"
# An installation may have this password in .env instead.
make database-password "$(sed -n 's/^POSTGRES_PASSWORD=//p' .env 2>/dev/null | grep . || openssl rand -hex 32)"

# NATS reads its password from the environment.
[ -s .env ] || printf 'NATS_PASSWORD=%s\n' "$(cat secrets/nats-password)" >.env
[ -z "${SUDO_UID:-}" ] || chown "$SUDO_UID" .env
echo "The first administrator is admin, with the password in $(pwd)/secrets/admin-password"
