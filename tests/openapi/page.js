// node page.js API FILE: writes a page of an OpenAPI file that loads nothing, with the script of Redoc and the file in it.
import { readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";

const [api, file] = process.argv.slice(2);
const bundled = `made/${api}.json`;
execFileSync("node_modules/.bin/redocly", ["bundle", `../../specs/${api}/openapi.yaml`, "--output", bundled]);
const description = readFileSync(bundled, "utf8").replaceAll("<", "\\u003c");
const redoc = readFileSync("node_modules/redoc/bundles/redoc.standalone.js", "utf8")
  .replaceAll("</script", "<\\/script")
  .replaceAll("https://cdn.redoc.ly/redoc/logo-mini.svg", "data:,");
const title = JSON.parse(description).info.title;
writeFileSync(file, `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>body { margin: 0 }</style>
<div id="page"></div>
<script>${redoc}</script>
<script>
Redoc.init(${description}, {disableSearch: false, expandResponses: "200,201"}, document.getElementById("page"));
</script>
`);
