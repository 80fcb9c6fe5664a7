/** Judges objects by the strict schemas in generated/, as an API server of that version with those operators would. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import type { Manifest } from './patch.ts';

type Generated = {
  readonly kinds: Readonly<Record<string, object>>;
  readonly $defs?: Readonly<Record<string, object>>;
};

const folder = fileURLToPath(new URL('generated', import.meta.url));
const ajv = new Ajv({
  allErrors: true,
  strict: false,
  validateFormats: false,
  inlineRefs: false,
  code: { optimize: false },
});
const known = new Map<string, string>();

for (const file of readdirSync(folder)) {
  const schemas = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Generated;
  ajv.addSchema(schemas, file);
  for (const kind of Object.keys(schemas.kinds))
    known.set(kind, `${file}#/kinds/${kind.replaceAll('/', '~1')}`);
}

/** What is wrong with it; empty when it is as it must be. */
export function faultsOf(manifest: Manifest): string[] {
  const { apiVersion, kind } = manifest;
  const reference = known.get(`${apiVersion} ${kind}`);
  if (reference === undefined) return [`${apiVersion} ${kind} has no schema in generated/`];
  return faultsBy(reference, manifest);
}

/** The pods of an object that its own schema does not look into. */
export function podFaults(podSpec: unknown): string[] {
  return faultsBy('kubernetes.json#/$defs/io.k8s.api.core.v1.PodSpec', podSpec).filter(
    // What the operator adds by itself: an entry names only what it changes.
    (fault) => !fault.includes('must have required property'),
  );
}

function faultsBy(reference: string, value: unknown): string[] {
  const validate = ajv.getSchema(encodeURI(reference));
  if (validate === undefined) throw new Error(`no schema at ${reference}`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
