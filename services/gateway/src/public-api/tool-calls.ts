/**
 * Requests that the tools of `/mcp` send to their own process, for a caller outside. A header with a secret of this process marks them, and
 * names the caller's address. So they meet the checks of any request as if the caller had sent them, except for the limit of the address:
 * `/mcp` has counted its own (decision 263, assistants).
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isSame } from '@offer-ads/platform/config/secrets';

export type ToolCalls = {
  /** The headers of a request for the caller with this address. */
  readonly headersFor: (callerIp: string) => Readonly<Record<string, string>>;
  /** The address of the caller; null for every other request. */
  readonly callerOf: (req: IncomingMessage) => string | null;
};

const header = 'x-tool-call';

export function createToolCalls(): ToolCalls {
  const secret = randomBytes(32).toString('base64url');
  return {
    headersFor: (callerIp) => ({ [header]: `${secret} ${callerIp}` }),
    callerOf: ({ headers }) => {
      const sent = headers[header];
      if (typeof sent !== 'string') return null;
      const [claimed = '', callerIp = ''] = sent.split(' ');
      return isSame(secret, claimed) ? callerIp : null;
    },
  };
}
