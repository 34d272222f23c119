#!/usr/bin/env bash
# Checks specs/*/openapi.yaml with other people's tools: three linters, three generators of code, and Redoc.
# The made clients send requests to pix-sandbox. The pages go to reports/openapi/.
set -euo pipefail
cd "$(dirname "$0")"
if ! command -v npm > /dev/null; then
  echo "Skipped: the checks of the OpenAPI files need Node.js 20 with npm."
  test -z "${CI:-}"
  exit
fi
made="$PWD/made"
rm -rf "$made"
mkdir -p "$made" ../../reports/openapi
uv sync -q --inexact --group clients --group dev
tools="$(cd ../.. && pwd)/.venv/bin"
export PATH="$PWD/node_modules/.bin:$tools:$PATH" REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
npm install --no-package-lock --ignore-scripts --no-audit --no-fund --loglevel=error

for api in payments business; do
  file="../../specs/$api/openapi.yaml"
  spectral lint --quiet --fail-severity=hint --ruleset spectral.yaml "$file"
  redocly lint --extends recommended-strict --max-problems 20 "$file" 2> "$made/redocly" || { cat "$made/redocly"; exit 1; }
  openapi-spec-validator "$file"
  openapi-typescript "$file" --default-non-nullable=false --output "$made/$api.d.ts" > /dev/null
  openapi-python-client generate --fail-on-warning --path "$file" --output-path "$made/$api"
  node page.js "$api" "../../reports/openapi/$api.html" 2> /dev/null
done
uv run -q --no-project --with datamodel-code-generator==0.89.0 --with 'pydantic[email]==2.12.5' --with pyyaml python models.py
tsc --project .
export PYTHONPATH="$made/payments:$made/business" MYPYPATH="$made/payments:$made/business"
mypy --strict --config-file "" client.py

pix-sandbox --port 0 --seed 7 --no-log > "$made/sandbox" &
sandbox=$!
trap 'kill "$sandbox"' EXIT
for _ in $(seq 100); do grep -q PIX_TRANSFER_KEY "$made/sandbox" && break; sleep 0.2; done
eval "$(grep '^export ' "$made/sandbox")"
node "$made/js/client.js"
python client.py
