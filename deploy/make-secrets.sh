#!/bin/sh
# Makes the secrets of deploy/compose.yaml at random, once: what is there stays. They stand in no repository and no image.
# With sudo: each file is for the account of the image, and for nobody else.
set -eu
cd "$(dirname "$0")"
umask 077
if [ "$(id -u)" != 0 ]; then
  echo "run it with sudo: the files are given to the account 10001, which the image runs as" >&2
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
# A letter first: NATS would read a variable such as 7e12 as a number.
make nats-password "n$(openssl rand -hex 32)"

# In hexadecimal, so that they can stand in an address as they are.
[ -s .env ] || printf 'POSTGRES_PASSWORD=%s\nNATS_PASSWORD=%s\n' "$(openssl rand -hex 32)" "$(cat secrets/nats-password)" >.env
[ -z "${SUDO_UID:-}" ] || chown "$SUDO_UID" .env
echo "The first administrator is admin, with the password in $(pwd)/secrets/admin-password"
