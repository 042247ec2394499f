// Writes src/api/schema.d.ts from docs/reference/openapi.json, which the server's own endpoints generate.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

const DOCUMENT = new URL("../../docs/reference/openapi.json", import.meta.url);
const TARGET = fileURLToPath(new URL("../src/api/schema.d.ts", import.meta.url));
const EMPTY =
  "export type paths = Record<never, never>;\nexport type components = { schemas: Record<never, never> };\n";

const types = existsSync(DOCUMENT) ? astToString(await openapiTS(DOCUMENT)) : EMPTY;
const current = existsSync(TARGET) ? readFileSync(TARGET, "utf8") : null;
if (types !== current) writeFileSync(TARGET, types);
