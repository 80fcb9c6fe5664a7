/** Tokens for the admin routes and the console (ADR 23). */
import { randomBytes } from 'node:crypto';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { hashEntry, namePattern } from '@offer-ads/platform/admin/tokens';
import { z } from 'zod';
import { type Command, localCommand } from '../../command.ts';

const nameHint = 'must be lower case letters, digits, ".", "@", "_" or "-"';

export const tokenCommands: readonly Command[] = [
  localCommand({
    name: 'token create',
    summary:
      'Create a token for a person or program, shown only once, with its hashes for each ADMIN_TOKEN_HASHES and CONSOLE_BREAK_GLASS',
    options: { name: z.string().regex(namePattern, nameHint).describe('NAME') },
    run: ({ name }) => {
      const token = randomBytes(32).toString('hex');
      const hashes = [...serviceNames, 'console' as const].map((audience) => [
        audience,
        hashEntry(name, token, audience),
      ]);
      return { token, ...(Object.fromEntries(hashes) as Record<string, string>) };
    },
  }),
];
