/**
 * The first script of the portal. It asks who is signed in, and for the first price of the form for an offer, while all other scripts are
 * still being loaded: on a slow phone the price is there sooner. Each answer is taken once; whoever asks again asks the server.
 */
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { call, type Reply } from '../../ui/calls/call.ts';
import { askFirstEstimate, type FirstEstimate } from './pages/offers/new/price/first-estimate.ts';
import { modeOf, portalOf } from './portal.ts';

export function askSession(signal?: AbortSignal): Promise<Reply<SessionReply>> {
  return call<SessionReply>('/portal/api/session', signal === undefined ? {} : { signal });
}

const mode = modeOf(location.pathname);
const session = mode === null ? undefined : askSession();
const isForm = mode !== null && location.pathname === `/portal/${mode}/offers/new`;

async function askEstimate(): Promise<FirstEstimate | null> {
  const reply = await session;
  if (reply?.ok !== true || mode === null) return null;
  // If the session ended meanwhile, the next call tells.
  return askFirstEstimate(portalOf(reply.body, mode, () => {}));
}

export const takeSession = once(session);
export const takeEstimate = once(isForm ? askEstimate() : undefined);

function once<T>(value: T): () => T | undefined {
  let left: T | undefined = value;
  return () => {
    const taken = left;
    left = undefined;
    return taken;
  };
}
