/** The linters that integrators run on an API description, with the rules that the linters recommend. */
import { expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import { oas } from '@stoplight/spectral-rulesets';
import { allDocuments } from './documents.ts';

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
