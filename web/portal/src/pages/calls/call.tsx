/** One call of the log: what was sent when with which key, and what its result means, in the words of the guide. */
import type { CallsReply, KeysReply } from '@offer-ads/contracts/portal/organisation-api';
import { useQuery } from '@tanstack/preact-query';
import { Fragment } from 'preact';
import { useRoute } from 'preact-iso';
import { CopyButton } from '../../../../ui/copy-button.tsx';
import { Empty, Loaded } from '../../../../ui/states.tsx';
import { When } from '../../../../ui/when.tsx';
import { PortalPage } from '../../portal-page.tsx';
import { usePortal, useRead } from '../../session.ts';
import { type Entry, type EntryPart, entryOf, guideTo, isUnmatched } from './call-meaning.ts';
import { Result } from './result.tsx';

type Logged = CallsReply['calls'][number];

/** Clients may send several requests with the same `X-Request-Id`. */
const maxShown = 20;

export function Call() {
  const { at, session } = usePortal();
  const id = useRoute().params['request'] ?? '';
  const query = new URLSearchParams({ request_id: id, limit: String(maxShown) });
  const calls = useRead<CallsReply>([session.organisation.id, 'calls', 'one', id], `/calls?${query}`);
  const keys = useRead<KeysReply>([session.organisation.id, 'keys'], '/keys');
  return (
    <PortalPage title="Call" lead={<a href={at('calls')}>All calls</a>}>
      <Loaded query={calls} what="the call" lines={8}>
        {({ calls: found }) =>
          found.length === 0 ? (
            <Empty title="No call with this request id">
              <p class="muted">
                Calls are kept for 90 days. A call appears here about a second after its reply.
              </p>
            </Empty>
          ) : (
            found.map((call, index) => (
              <Facts
                key={index}
                of={call}
                keyName={keys.data?.keys.find(({ id }) => id === call.keyId)?.name}
              />
            ))
          )
        }
      </Loaded>
    </PortalPage>
  );
}

function Facts({ of: call, keyName }: { readonly of: Logged; readonly keyName: string | undefined }) {
  return (
    <section class="card" aria-label={call.route}>
      <dl class="facts">
        <dt>Call</dt>
        <dd>
          <code class="address">{call.route}</code>
        </dd>
        <dt>Result</dt>
        <dd>
          <Result of={call} />
        </dd>
        <dt>Time</dt>
        <dd>
          <When at={call.at} precision="second" />, answered after {call.durationMs} ms
        </dd>
        <dt>Key</dt>
        <dd>
          <span class="as-written">{keyName}</span> …{call.lastFour}
        </dd>
        <dt>Request id</dt>
        <dd class="row">
          <code class="address">{call.requestId}</code>
          <CopyButton text={call.requestId} label="Copy" />
        </dd>
      </dl>
      <Meaning of={call} />
    </section>
  );
}

function Meaning({ of: call }: { readonly of: Logged }) {
  const guide = guideTo(call);
  const entry = useQuery({
    queryKey: ['guide', guide],
    queryFn: ({ signal }) => readEntry(guide ?? '', signal),
    enabled: guide !== null,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (call.status === 499)
    return <p>The caller disconnected before the reply. A change may have been made.</p>;
  if (guide === null) return <p>The call succeeded.</p>;
  return (
    <div class="stack" aria-live="polite">
      {isUnmatched(call) && (
        <p>
          No endpoint has this address with this method. The log does not keep the address, because it may
          hold ids. To see it, find the request id in the log of your program.
        </p>
      )}
      {entry.data?.paragraphs.map(({ heading, text }) => (
        <Fragment key={text}>
          {heading !== null && <h3>{heading}</h3>}
          <p>{text}</p>
        </Fragment>
      ))}
      {entry.data !== undefined && entry.data.lists.length > 0 && <Messages of={entry.data.lists} />}
      <p>
        <a href={guide}>This error in the guide</a>
      </p>
    </div>
  );
}

function Messages({ of: lists }: { readonly of: Entry['lists'] }) {
  const count = lists.reduce((sum, { messages }) => sum + messages.length, 0);
  return (
    <>
      <p>
        {count === 1
          ? 'The message of the reply was this, or one like it:'
          : 'The field message of the reply says which of these it was. The log keeps no replies: find the request id in the log of your program, or send the same again.'}
      </p>
      {lists.map(({ heading, messages }) => (
        <div key={heading} class="stack">
          {heading !== null && <h3>{heading.replace(/:$/, '')}</h3>}
          <ul>
            {messages.map((message) => (
              <li key={message}>
                <code class="address">{message}</code>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}

/** Parsed by the browser's loader: the content security policy forbids turning a text into markup. */
function documentAt(address: string, signal: AbortSignal): Promise<Document> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', address);
    request.responseType = 'document';
    request.timeout = 10_000;
    const failed = () => reject(new Error('the guide cannot be read'));
    request.addEventListener('load', () =>
      request.responseXML === null ? failed() : resolve(request.responseXML),
    );
    for (const event of ['error', 'timeout', 'abort']) request.addEventListener(event, failed);
    signal.addEventListener('abort', () => request.abort());
    request.send();
  });
}

/** The texts below a heading of the guide to errors, so that they are written in one place only. */
async function readEntry(address: string, signal: AbortSignal): Promise<Entry> {
  const [page = '', id = ''] = address.split('#');
  const guide = await documentAt(page, signal);
  const parts: EntryPart[] = [];
  for (
    let next = guide.getElementById(id)?.nextElementSibling;
    next !== null && next !== undefined && !/^H\d$/.test(next.tagName);
    next = next.nextElementSibling
  ) {
    if (next.tagName === 'P') parts.push({ text: next.textContent.trim() });
    else if (next.tagName === 'UL')
      parts.push({ messages: [...next.querySelectorAll('li')].map((item) => item.textContent.trim()) });
  }
  return entryOf(parts);
}
