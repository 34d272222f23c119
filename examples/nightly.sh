#!/bin/sh
# A nightly job: judges by an edition, and fails only on what is worse than in the first night, or is done otherwise where
# the documents are silent. PIX_BASE_URL and the credentials are in the environment; nights/ is kept from night to night.
#   nights/baseline/         the report of the first whole night in which nothing failed
#   nights/assumptions.toml  what it saw; remove from it what your client does not rely on
# Remove both to accept what the target does today. KNOWN_FAILURES=yes also accepts what fails or is inconclusive today.
# Arguments are further options of pix-conformance.
set -u
mkdir -p nights
set -- --report-dir nights/latest --edition "${EDITION:-1.0}" "$@"

if [ -e nights/assumptions.toml ]; then
  exec pix-conformance "$@" --baseline nights/baseline --assume nights/assumptions.toml
fi
status=0
pix-conformance "$@" || status=$?
case $status in
  0) accepted=yes ;;
  1 | 6) accepted=${KNOWN_FAILURES:-no} ;; # there is a report, in which something fails or is inconclusive
  *) accepted=no ;;
esac
if [ "$accepted" != yes ]; then
  echo "no baseline: this night ended with status $status; KNOWN_FAILURES=yes takes one of a night with failures" >&2
elif ! grep -q '"partial": *false' nights/latest/results.json; then
  echo "no baseline: this was no whole run" >&2
else
  rm -rf nights/baseline
  pix-report assume nights/latest > nights/new.toml && cp -R nights/latest nights/baseline && mv nights/new.toml nights/assumptions.toml
fi
exit "$status"
