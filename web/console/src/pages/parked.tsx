/** Events that a service could not handle: each waits for a person to hand it over again or to let it go. */
import type { ParkedMessage } from '@offer-ads/contracts/admin/events-api';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Notice } from '../../../ui/notice.tsx';
import { Empty, Failed, Loading } from '../../../ui/states.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { inFull, withoutPeople } from '../payload.ts';
import { ReasonDialog } from '../reason-dialog.tsx';
import { useConsole, useRead } from '../session.ts';

const consumers = ['offers', 'billing', 'pricing', 'notifier'] as const;
type Consumer = (typeof consumers)[number];

/** More than a person reads; the rest shows once these are dealt with. */
const MOST_SHOWN = 50;

export function Parked() {
  const { service } = useLocation().query;
  const shown = consumers.filter((name) => service === undefined || service === name);
  return (
    <ConsolePage
      title="Parked events"
      lead="What a service could not handle, even after five attempts. The longest parked come first."
    >
      <nav class="tabs" aria-label="Services">
        <a href="/parked" aria-current={service === undefined ? 'page' : undefined}>
          All services
        </a>
        {consumers.map((name) => (
          <a key={name} href={`/parked?service=${name}`} aria-current={service === name ? 'page' : undefined}>
            {name}
          </a>
        ))}
      </nav>
      {shown.map((name) => (
        <ParkedOf key={name} service={name} />
      ))}
    </ConsolePage>
  );
}

type Wish = { readonly action: 'replay' | 'drop'; readonly ids: readonly string[] | 'all' };

function ParkedOf({ service }: { readonly service: Consumer }) {
  const list = useRead<{ readonly parked: readonly ParkedMessage[] }>(
    `/${service}/parked?limit=${MOST_SHOWN}`,
  );
  const [wish, setWish] = useState<Wish | null>(null);
  const [done, setDone] = useState<string | null>(null);
  const parked = list.data?.parked ?? [];
  const ask = (next: Wish) => {
    setDone(null);
    setWish(next);
  };
  return (
    <section class="card" aria-labelledby={`of-${service}`}>
      <div class="row spread">
        <h2 id={`of-${service}`}>{service}</h2>
        {parked.length > 1 && (
          <button type="button" class="quiet" onClick={() => ask({ action: 'replay', ids: 'all' })}>
            Replay all of {service} …
          </button>
        )}
      </div>
      {done !== null && <Notice kind="good">{done}</Notice>}
      {list.isPending && <Loading what={`parked events of ${service}`} lines={2} />}
      {list.isError && <Failed error={list.error} retry={list.refetch} />}
      {list.data !== undefined && parked.length === 0 && <Empty title="No event is parked here" />}
      {parked.map((message) => (
        <Message key={message.id} message={message} ask={ask} />
      ))}
      {parked.length === MOST_SHOWN && (
        <p class="small">More may be parked: the next show once these are dealt with.</p>
      )}
      {wish !== null && (
        <WishDialog
          service={service}
          wish={wish}
          close={(said) => {
            setWish(null);
            setDone(said);
          }}
        />
      )}
    </section>
  );
}

function Message({ message, ask }: { readonly message: ParkedMessage; readonly ask: (wish: Wish) => void }) {
  const [full, setFull] = useState(false);
  const { id, type, subject, reason, attempts, parkedAt, body } = message;
  const what = type ?? 'An event without a type';
  return (
    <article class="stack" aria-label={`${what} ${subject ?? ''}`}>
      <div>
        <h3>
          {what} {subject}
        </h3>
        <p class="small muted">
          Parked {parkedAt === null ? 'by the broker' : <When at={parkedAt} />}, after {attempts} attempts ·{' '}
          <code class="hash">{id}</code>
        </p>
      </div>
      <p>{reason}</p>
      <details>
        <summary>Payload</summary>
        <div class="stack">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
          <pre class="payload" tabIndex={0} aria-label="Payload">
            {full ? inFull(body) : withoutPeople(body)}
          </pre>
          <div>
            <button type="button" class="quiet" onClick={() => setFull(!full)}>
              {full ? 'Hide personal data' : 'Show personal data too'}
            </button>
          </div>
        </div>
      </details>
      <div class="row">
        <button type="button" onClick={() => ask({ action: 'replay', ids: [id] })}>
          Replay …
        </button>
        <button type="button" class="danger" onClick={() => ask({ action: 'drop', ids: [id] })}>
          Drop …
        </button>
      </div>
    </article>
  );
}

type WishDialogProps = {
  readonly service: Consumer;
  readonly wish: Wish;
  /** What was done, or null. */
  readonly close: (said: string | null) => void;
};

function WishDialog({ service, wish: { action, ids }, close }: WishDialogProps) {
  const { send } = useConsole();
  // Read right after it was written, before anything is rendered again.
  const said = useRef('');
  const what = ids === 'all' ? 'all parked events' : 'this event';
  const isReplay = action === 'replay';
  return (
    <ReasonDialog
      title={`${isReplay ? 'Replay' : 'Drop'} ${what} of ${service}?`}
      submit={isReplay ? 'Replay' : 'Drop for ever'}
      act={async ({ reason, seenAt }) => {
        const reply = await send<{ replayed?: number; dropped?: number }>(
          `/${service}/parked/${action}`,
          { ids, reason },
          seenAt,
        );
        if (reply.ok) {
          const count = reply.body.replayed ?? reply.body.dropped ?? 0;
          said.current = `${count} ${count === 1 ? 'event was' : 'events were'} ${isReplay ? 'replayed' : 'dropped'}.`;
        }
        return reply;
      }}
      close={(wasDone) => close(wasDone ? said.current : null)}
    >
      <p>
        {isReplay
          ? `${service} is handed ${what} again. What fails again is parked again.`
          : `${service} will never handle it. It cannot be brought back here.`}
      </p>
    </ReasonDialog>
  );
}
