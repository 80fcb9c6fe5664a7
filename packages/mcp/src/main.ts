#!/usr/bin/env node
/** The MCP server over stdio: `offer-ads-mcp`. Nothing but the protocol is written to stdout. */
import { parseArgs } from 'node:util';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { UsageError } from '@offer-ads/sdk/cli/arguments';
import { accessFrom, environment } from '@offer-ads/sdk/cli/config';
import { OfferAdsError } from '@offer-ads/sdk/error';
import { assistantServer } from './server.ts';

const say = (text: string) => process.stderr.write(`offer-ads-mcp: ${text}\n`);

try {
  const flags = parseArgs({ options: { 'base-url': { type: 'string' }, 'key-file': { type: 'string' } } });
  const { apiKey, baseUrl, warning } = await accessFrom(environment(), flags.values);
  if (warning !== undefined) say(warning);
  // Made once before, so that a wrong key or address ends the program with its reason.
  assistantServer({ apiKey, baseUrl });
  serveStdio(() => assistantServer({ apiKey, baseUrl }), { onerror: ({ message }) => say(message) });
} catch (error) {
  const isTold = error instanceof UsageError || error instanceof OfferAdsError || error instanceof TypeError;
  if (!isTold) throw error;
  say(error.message);
  process.exitCode = 2;
}
