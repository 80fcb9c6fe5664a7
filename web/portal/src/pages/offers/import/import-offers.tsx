/** A CSV file of offers: read, checked and priced as a whole, then bought as one order. */
import '../offers.css';
import '../list/list.css';
import type { City, Place } from '@offer-ads/contracts/places/cities';
import { nameOf } from '@offer-ads/contracts/places/cities';
import type { CreationReply, GroupCheckReply } from '@offer-ads/contracts/portal/offers-api';
import type { CreateGroupReply } from '@offer-ads/contracts/public/groups-api';
import { placeLimits } from '@offer-ads/contracts/values/places';
import { sum } from '@offer-ads/contracts/values/sum';
import { useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { BusyButton } from '../../../../../ui/busy-button.tsx';
import { Field } from '../../../../../ui/field.tsx';
import { Notice } from '../../../../../ui/notice.tsx';
import { Loaded } from '../../../../../ui/states.tsx';
import { Table } from '../../../../../ui/table.tsx';
import { momentText } from '../../../../../ui/time-text.ts';
import { useAmounts, useFigures } from '../../../amounts/amounts.ts';
import { Download, save } from '../../../download.tsx';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { useOfferNow } from '../../../test-clock.ts';
import { exportQuery, readFilters } from '../list/filters.ts';
import { pictureState } from '../new/draft.ts';
import { PictureFields } from '../new/picture/form-picture.tsx';
import { PaymentFields } from '../new/purchase/payment-fields.tsx';
import { usePayText } from '../new/purchase/purchase.tsx';
import { sendOffer } from '../new/purchase/send-offer.ts';
import { useCategories, useInterests, useOffersChanged } from '../offers-data.ts';
import { addPictures, NamedPictures, type Pictures } from './named-pictures.tsx';
import { type Catalogue, csvColumns, placeOfRow, readOffersCsv, sampleCsv } from './offers-csv.ts';
import { type RowFault, rowFaults } from './row-faults.ts';

type SentPlace = ReturnType<typeof placeOfRow> & { readonly [name: string]: unknown };
type Priced = {
  readonly rows: readonly number[];
  readonly places: readonly SentPlace[];
  /** What was found for the column `place`. */
  readonly found: readonly (City | null)[];
  readonly prices: GroupCheckReply['offers'];
  readonly totalMinor: bigint;
  /** The order that these rows were bought with before. */
  readonly bought: CreationReply | null;
};
type Stage =
  | { readonly at: 'choosing'; readonly problem?: string }
  | { readonly at: 'faulty'; readonly faults: readonly RowFault[] }
  | { readonly at: 'priced'; readonly priced: Priced; readonly note?: string };

export function ImportOffers() {
  const categories = useCategories();
  const interests = useInterests();
  return (
    <Loaded query={categories} what="the categories" lines={9}>
      {({ categories }) => (
        <Loaded query={interests} what="the interests" lines={9}>
          {({ interests }) => <Import catalogue={{ categories, interests }} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function Import({ catalogue }: { readonly catalogue: Catalogue }) {
  const { api, at, mode, session } = usePortal();
  const { query, route } = useLocation();
  const offerNow = useOfferNow();
  const changed = useOffersChanged();
  const { country } = session.organisation;
  const [file, setFile] = useState<File | null>(null);
  const [picture, setPicture] = useState<File | null>(null);
  const [named, setNamed] = useState<Pictures>(new Map());
  const [stage, setStage] = useState<Stage>({ at: 'choosing' });
  const [paymentMethod, setPaymentMethod] = useState<'E' | 'B'>('B');
  /** Set when a person buys the same rows once more: it gives that order a key of its own, until the file or a picture changes. */
  const [again, setAgain] = useState('');
  const pay = usePayText();
  const result = useRef<HTMLDivElement>(null);

  const begin = (next: Stage = { at: 'choosing' }) => {
    setStage(next);
    if (next.at === 'choosing') setAgain('');
    if (next.at !== 'choosing' || next.problem !== undefined) setTimeout(() => result.current?.focus());
  };

  const formOf = (places: readonly SentPlace[], method: 'E' | 'B') => {
    const form = new FormData();
    form.set('places', JSON.stringify(addPictures(form, places, { named, shared: picture })));
    form.set('environment', mode.toUpperCase());
    form.set('payment_method', method);
    return form;
  };

  const check = async (note?: string) => {
    if (file === null) return begin({ at: 'choosing', problem: 'Choose a CSV file.' });
    const read = readOffersCsv(new Uint8Array(await file.arrayBuffer()));
    if (!read.ok) return begin({ at: 'choosing', problem: read.problem });
    const { rows } = read;
    const numbers = rows.map(({ number }) => number);
    const found = await Promise.all(rows.map(({ cells }) => placeNamed(cells.get('place') ?? '', country)));
    const unfound = rows.flatMap(({ number, cells }, index) =>
      (cells.get('place') ?? '').trim() !== '' && found[index] === null
        ? [
            {
              row: number,
              column: 'place',
              text: 'is not known: write a town, a part of a town or a postcode',
            },
          ]
        : [],
    );
    const places = rows.map((row, index): SentPlace => placeOfRow(row, found[index] ?? null, catalogue));
    const reply = await api.send<GroupCheckReply>('POST', `/${mode}/offer-groups/check`, {
      form: formOf(places, 'B'),
      timeoutMs: 60_000,
    });
    if (!reply.ok || unfound.length > 0) {
      const others = reply.ok ? [] : rowFaults(reply.message, numbers);
      const isUnfound = ({ row, column }: RowFault) =>
        /^(latitude|longitude)$/.test(column) && unfound.some((fault) => fault.row === row);
      return begin({ at: 'faulty', faults: [...unfound, ...others.filter((fault) => !isUnfound(fault))] });
    }
    const prices = reply.body.offers;
    const totalMinor = sum(prices.map(({ cost_minor: cost }) => BigInt(cost)));
    // Without an answer the key still keeps them from being bought twice.
    const bought = await api
      .read<CreationReply>(`/${mode}/creations/${await keyOf(places, again)}`)
      .catch(() => null);
    const isBought = bought?.state === 'created';
    begin({
      at: 'priced',
      priced: {
        rows: numbers,
        places,
        found,
        prices,
        totalMinor,
        bought: bought?.state === 'none' ? null : bought,
      },
      ...(note !== undefined && !isBought && { note }),
    });
  };

  const buy = async (priced: Priced) => {
    const { rows, places, prices } = priced;
    const quoted = places.map((place, index) => ({ ...place, quote_id: prices[index]?.quote_id ?? null }));
    const sent = await sendOffer<CreateGroupReply>({
      sending: {
        key: await keyOf(places, again),
        form: formOf(quoted, paymentMethod),
        isRepeat: false,
      },
      post: ({ key, form }) =>
        api.send('POST', `/${mode}/offer-groups`, {
          form,
          headers: { 'idempotency-key': key },
          timeoutMs: 60_000,
        }),
      wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      findingOut: () => {},
    });
    void changed();
    if (sent.outcome === 'created') return route(at(`offers/groups/${sent.offer.group_id}`));
    // With other quotes: another tab, or an attempt before. The check finds its offers.
    if (sent.outcome === 'sent-before' || sent.refusal.status === 422) return check();
    if (sent.outcome === 'unknown')
      return check(
        `It is not known yet whether the offers were bought. ${sent.refusal.message} If you buy again, they are bought once.`,
      );
    if (/quote_id/.test(sent.refusal.message))
      return check('The prices were not held any longer. Nothing was bought. These are the prices now.');
    const faults = rowFaults(sent.refusal.message, rows);
    if (faults.some(({ row }) => row !== null)) return begin({ at: 'faulty', faults });
    setStage({ at: 'priced', priced, note: `${sent.refusal.message} Nothing was bought.` });
  };

  return (
    <PortalPage
      title="Import offers"
      lead={`One row for each offer, at most ${placeLimits.most}. All are checked and priced before you buy, and bought together or not at all.`}
      actions={
        <>
          <button
            type="button"
            class="quiet"
            onClick={() => save(new Blob([sampleCsv(catalogue, offerNow())]), 'offers-sample.csv')}
          >
            Download a sample
          </button>
          <Download
            path={`/${mode}/offers.csv${exportQuery(readFilters(query), 'import')}`}
            name="offers-to-import"
          >
            Download your offers
          </Download>
        </>
      }
    >
      <section class="card stack" aria-label="The file">
        <p>
          Download the sample, fill it in with Excel or Google Sheets, save it as CSV (UTF-8) and choose it
          here. Times without a zone are those of your computer.
        </p>
        <details>
          <summary>All columns</summary>
          <p class="small">
            <code>{csvColumns.join(', ')}</code>
          </p>
          <p class="small">
            <code>place</code> is a town or postcode and stands for <code>latitude</code> and{' '}
            <code>longitude</code>. <code>category_id</code> and <code>interests</code> take names or numbers;
            several interests or genders have | between them. <code>image</code> is the file name of one of
            the pictures that you choose here together, <code>image_offer_id</code> the number of an offer
            whose picture is used; rows with neither get the picture of all other rows.
          </p>
        </details>
        <Field label="CSV file">
          {(described) => (
            <input
              {...described}
              type="file"
              accept=".csv,text/csv"
              onChange={({ currentTarget: { files } }) => {
                setFile(files?.[0] ?? null);
                begin();
              }}
            />
          )}
        </Field>
        <NamedPictures
          pictures={named}
          choose={(next) => {
            setNamed(next);
            begin();
          }}
        />
        <PictureFields
          picture={picture}
          label="Picture of all other rows, if there are any"
          otherwise={null}
          fault={pictureFault(picture)}
          choose={(next) => {
            setPicture(next);
            begin();
          }}
        />
        {(stage.at !== 'priced' || stage.priced.bought?.group_id === null) && (
          <div>
            <BusyButton class="button" work={() => check()}>
              Check and price
            </BusyButton>
          </div>
        )}
      </section>
      <div ref={result} tabIndex={-1} class="stack" aria-live="polite">
        {stage.at === 'choosing' && stage.problem !== undefined && (
          <Notice kind="problem">
            <p>{stage.problem}</p>
          </Notice>
        )}
        {stage.at === 'faulty' && <FaultTable faults={stage.faults} />}
        {stage.at === 'priced' && (
          <>
            {stage.note !== undefined && (
              <Notice kind="warning">
                <p>{stage.note}</p>
              </Notice>
            )}
            <PriceTable priced={stage.priced} />
            {stage.priced.bought !== null ? (
              <Bought
                bought={stage.priced.bought}
                again={() => {
                  setAgain(crypto.randomUUID());
                  setStage({ at: 'priced', priced: { ...stage.priced, bought: null } });
                }}
              />
            ) : (
              <section class="card stack" aria-label="Payment">
                <PaymentFields
                  draft={{ paymentMethod }}
                  estimate={{ costMinor: stage.priced.totalMinor, isFirstDone: true }}
                  fault={undefined}
                  disabled={false}
                  set={({ paymentMethod: next }) => setPaymentMethod(next)}
                />
                <div>
                  <BusyButton class="button" work={() => buy(stage.priced)}>
                    {pay(stage.priced.totalMinor, paymentMethod)}
                  </BusyButton>
                </div>
              </section>
            )}
          </>
        )}
      </div>
    </PortalPage>
  );
}

function pictureFault(picture: File | null): string | undefined {
  const state = picture === null ? 'fits' : pictureState(picture);
  return typeof state === 'string' ? undefined : state.problem;
}

/** The best of what the search of the form finds. */
async function placeNamed(text: string, country: string): Promise<City | null> {
  if (text.trim() === '') return null;
  const { placesFor } = await import('../../../map/place-lists.ts');
  const found = await placesFor({ text: text.trim(), country, most: 1 });
  return found.postcode ?? found.places[0] ?? null;
}

/** The same rows have the same key in every tab and after a reload, whatever their quotes: they are bought once. */
async function keyOf(places: readonly object[], again: string): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(places));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `import-${[...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('')}${again && `-${again}`}`;
}

function FaultTable({ faults }: { readonly faults: readonly RowFault[] }) {
  return (
    <section class="stack" aria-label="What to correct">
      <Notice kind="problem">
        <p>Nothing was bought. Correct the file, choose it again and check it again.</p>
      </Notice>
      <Table
        rows={faults}
        keyOf={(_, index) => index}
        caption="What to correct"
        columns={[
          { title: 'Row', cell: ({ row }) => row ?? 'All' },
          { title: 'Column', cell: ({ column }) => (column === '' ? '–' : <code>{column}</code>) },
          { title: 'What is wrong', cell: ({ text }) => text },
        ]}
      />
    </section>
  );
}

function PriceTable({ priced: { rows, places, found, prices, totalMinor } }: { readonly priced: Priced }) {
  const amount = useAmounts();
  const { countText } = useFigures();
  const textAt = (index: number, name: string) => {
    const value = places[index]?.[name];
    return typeof value === 'string' ? value : '';
  };
  const whereIs = (index: number) => {
    const at = found[index] ?? null;
    return at === null ? positionText(places[index]) : nameOf(at);
  };
  return (
    <section class="stack" aria-label="Prices">
      <Table
        rows={prices}
        keyOf={(_, index) => index}
        caption="The offers with their prices"
        columns={[
          { title: 'Row', cell: (_, index) => rows[index] },
          {
            title: 'Offer',
            cell: (_, index) => (
              <>
                <span class="as-written">{textAt(index, 'title')}</span>
                <div class="muted small as-written">
                  {[textAt(index, 'label'), whereIs(index)].filter((text) => text !== '').join(' · ')}
                </div>
              </>
            ),
          },
          {
            title: 'Time',
            cell: (_, index) =>
              `${momentText(textAt(index, 'start_datetime'))} to ${momentText(textAt(index, 'expiry_datetime'))}`,
          },
          { title: 'Members', numeric: true, cell: ({ matching_users: members }) => countText(members) },
          { title: 'Price', numeric: true, cell: ({ cost_minor: cost }) => amount(cost) },
        ]}
      />
      <p>
        {prices.length} {prices.length === 1 ? 'offer' : 'offers'}, without VAT:{' '}
        <strong>{amount(totalMinor)}</strong>
      </p>
    </section>
  );
}

function positionText(place: Partial<{ [name in keyof Place]: unknown }> | undefined): string {
  return `${String(place?.latitude)}, ${String(place?.longitude)}`;
}

type BoughtProps = { readonly bought: CreationReply; readonly again: () => void };

function Bought({ bought, again }: BoughtProps) {
  const { at } = usePortal();
  return (
    <Notice kind="warning">
      <p>
        {bought.group_id === null
          ? 'These rows are being bought at this moment. Check again in a minute.'
          : 'These rows were bought before.'}
      </p>
      {bought.group_id !== null && (
        <div class="row">
          <a class="button" href={at(`offers/groups/${bought.group_id}`)}>
            Go to the offers
          </a>
          <button type="button" class="quiet" onClick={again}>
            Buy them once more
          </button>
        </div>
      )}
    </Notice>
  );
}
