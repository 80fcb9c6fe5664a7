/** Parked events, which a service could not handle: a person replays or drops each. */
import type { ParkedMessage } from '@offer-ads/contracts/admin/events-api';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Notice } from '../../../ui/notice.tsx';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { When } from '../../../ui/when.tsx';
import { ConsolePage } from '../console-page.tsx';
import { ActionButton } from '../may.tsx';
import { parkedBecause } from '../parked/parked-words.ts';
import { inFull, withoutPeople } from '../parked/payload.ts';
import { type CloseWithMessage, ReasonDialog } from '../reason-dialog.tsx';
import { useRead } from '../session.ts';
import { useAction } from '../use-action.ts';

const consumers = ['offers', 'billing', 'pricing', 'notifier'] as const;
type Consumer = (typeof consumers)[number];

/** More than a person reads. The rest appears after these are replayed or dropped. */
const MAX_SHOWN = 50;

export function Parked() {
  const { service } = useLocation().query;
  const shown = consumers.filter((name) => service === undefined || service === name);
  return (
    <ConsolePage
      title="Parked events"
      lead="Events that wait for a person: a service could not read them, or five attempts to handle them failed. The oldest come first."
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
    `/${service}/parked?limit=${MAX_SHOWN}`,
  );
  const { asking: wish, done, begin: ask, end } = useAction<Wish>();
  const parked = list.data?.parked ?? [];
  return (
    <section class="card" aria-labelledby={`of-${service}`}>
      <div class="row spread">
        <h2 id={`of-${service}`}>{service}</h2>
        {parked.length > 1 && (
          <ActionButton
            call={`POST /${service}/parked/replay`}
            class="quiet"
            onClick={() => ask({ action: 'replay', ids: 'all' })}
          >
            Replay all of {service} …
          </ActionButton>
        )}
      </div>
      {done !== null && <Notice kind="good">{done}</Notice>}
      <Loaded query={list} what={`parked events of ${service}`} lines={2}>
        {() => parked.length === 0 && <Empty title="No event is parked here" />}
      </Loaded>
      {parked.map((message) => (
        <Message key={message.id} service={service} message={message} ask={ask} />
      ))}
      {parked.length === MAX_SHOWN && (
        <p class="small">There may be more. They appear after these are replayed or dropped.</p>
      )}
      {wish !== null && <WishDialog service={service} wish={wish} close={end} />}
    </section>
  );
}

type MessageProps = {
  readonly service: Consumer;
  readonly message: ParkedMessage;
  readonly ask: (wish: Wish) => void;
};

function Message({ service, message, ask }: MessageProps) {
  const [full, setFull] = useState(false);
  const { id, type, subject, reason, parkedAt, body } = message;
  const what = type ?? 'An event without a type';
  return (
    <article class="stack" aria-label={`${what} ${subject ?? ''}`}>
      <div>
        <h3>
          {what} {subject}
        </h3>
        <p class="small muted">
          Parked
          {parkedAt !== null && (
            <>
              {' '}
              <When at={parkedAt} />
            </>
          )}{' '}
          {parkedBecause(message)} · <code class="hash">{id}</code>
        </p>
      </div>
      <p>{reason}</p>
      <details>
        <summary>Payload</summary>
        <div class="stack">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard. */}
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
        <ActionButton
          call={`POST /${service}/parked/replay`}
          onClick={() => ask({ action: 'replay', ids: [id] })}
        >
          Replay …
        </ActionButton>
        <ActionButton
          call={`POST /${service}/parked/drop`}
          class="danger"
          onClick={() => ask({ action: 'drop', ids: [id] })}
        >
          Drop …
        </ActionButton>
      </div>
    </article>
  );
}

type WishDialogProps = {
  readonly service: Consumer;
  readonly wish: Wish;
  readonly close: CloseWithMessage;
};

function WishDialog({ service, wish: { action, ids }, close }: WishDialogProps) {
  const what = ids === 'all' ? 'all parked events' : 'this event';
  const isReplay = action === 'replay';
  return (
    <ReasonDialog
      title={`${isReplay ? 'Replay' : 'Drop'} ${what} of ${service}?`}
      submit={isReplay ? 'Replay' : 'Drop for ever'}
      ends={!isReplay}
      act={(send) => send<{ replayed?: number; dropped?: number }>(`/${service}/parked/${action}`, { ids })}
      done={({ replayed, dropped }) => {
        const count = replayed ?? dropped ?? 0;
        return `${count} ${count === 1 ? 'event was' : 'events were'} ${isReplay ? 'replayed' : 'dropped'}.`;
      }}
      close={close}
    >
      <p>
        {isReplay
          ? `${service} gets ${what} again. An event that fails again is parked again.`
          : `${service} will never handle it. This cannot be undone here.`}
      </p>
    </ReasonDialog>
  );
}
