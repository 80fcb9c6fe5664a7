/** The linters that integrators run on an API description, with the rules that the linters recommend. */
import { describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { allDocuments } from './documents.ts';
import { purchaseWorkflows } from './workflows.ts';

const documents = [...allDocuments()].filter(([file]) => file.endsWith('openapi.json'));

it('there are descriptions for advertisers, for the portal and for community platforms', () => {
  expect(documents.map(([file]) => file)).toEqual([
    'openapi.json',
    'portal-openapi.json',
    'community-openapi.json',
  ]);
});

it.each(documents)('Spectral finds nothing in %s', async (file, text) => {
  const linter = new spectral.Spectral();
  linter.setRuleset({ extends: [oas as object as RulesetDefinition] });
  const findings = await linter.run(new spectral.Document(text, parsers.Json, file));
  expect(findings.map(({ code, message, path }) => `${path.join('.')}: ${message} (${code})`)).toEqual([]);
});

it.each(documents)('Redocly finds nothing in %s', async (file, text) => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: file === 'portal-openapi.json' ? ofPortal : {},
  });
  const findings = await lintFromString({ source: text, absoluteRef: file, config });
  expect(
    findings.map(({ location, message, ruleId }) => `${location[0]?.pointer}: ${message} (${ruleId})`),
  ).toEqual([]);
});

/** `/sessions/{id}` and `/{mode}/balance` are different paths, because a mode is `test` or `live`: the rule does not look at the values. */
const ofPortal = { 'no-ambiguous-paths': 'off' } as const;

const workflows = JSON.stringify(purchaseWorkflows);

it('Redocly finds nothing in the workflows', async () => {
  const findings = await lintFromString({
    source: workflows,
    absoluteRef: 'purchase.arazzo.json',
    config: await createConfig({ extends: ['recommended'] }),
  });
  expect(findings.map(({ location, message }) => `${location[0]?.pointer}: ${message}`)).toEqual([]);
});

describe('each step of the workflows', () => {
  type Schema = {
    readonly $ref?: string;
    readonly properties?: Record<string, Schema>;
    readonly anyOf?: Schema[];
  };
  type Content = { readonly content: Record<string, { readonly schema: Schema }> };
  type Operation = {
    readonly operationId: string;
    readonly parameters?: readonly { readonly name: string }[];
    readonly requestBody?: Content;
    readonly responses: Record<string, Content>;
  };
  const openapi = JSON.parse(new Map(documents).get('openapi.json')!) as {
    readonly paths: Record<string, Record<string, Operation>>;
    readonly components: { readonly schemas: Record<string, Schema> };
  };
  type Step = {
    readonly stepId: string;
    readonly operationId: string;
    readonly parameters?: readonly { readonly name: string }[];
    readonly requestBody?: { readonly contentType: string; readonly payload: object };
  };
  const steps = (
    JSON.parse(workflows) as { workflows: { workflowId: string; steps: Step[] }[] }
  ).workflows.flatMap((workflow) =>
    workflow.steps.map((step) => [`${workflow.workflowId} ${step.stepId}`, step] as const),
  );
  const operations = new Map(
    Object.values(openapi.paths).flatMap((methods) =>
      Object.values(methods).map((one) => [one.operationId, one]),
    ),
  );
  const resolved = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : openapi.components.schemas[schema.$ref.split('/').at(-1)!]!;
  const fieldsOf = (schema: Schema): string[] =>
    [schema, ...(resolved(schema).anyOf ?? [])].flatMap((one) => Object.keys(resolved(one).properties ?? {}));

  it.each(steps)('%s names an operation, fields and outputs that exist', (_, step) => {
    const operation = operations.get(step.operationId);
    const parameters = (operation?.parameters ?? []).map(({ name }) => name);
    for (const { name } of step.parameters ?? []) expect(parameters).toContain(name);
    const { contentType = '', payload = {} } = step.requestBody ?? {};
    const accepted = operation?.requestBody?.content[contentType]?.schema ?? {};
    expect(fieldsOf(accepted)).toEqual(expect.arrayContaining(Object.keys(payload)));
    const reply = operation?.responses['200']?.content['application/json']?.schema ?? {};
    const read = [...JSON.stringify(step).matchAll(/\$response\.body#\/(\w+)/g)].map(([, path]) => path);
    expect(fieldsOf(reply)).toEqual(expect.arrayContaining(read));
  });
});
