/** Offers of all organisations, newest first, in pages, with search and filters. */

import type { AdminOffersReply, OfferFilter } from '@offer-ads/contracts/admin/offers-api';
import { useLocation } from 'preact-iso';
import { InputField, Options, SelectField } from '../../../ui/field.tsx';
import { Form, textOf } from '../../../ui/form.tsx';
import { queryOf } from '../../../ui/query-of.ts';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { ConsolePage } from '../console-page.tsx';
import { OffersTable } from '../offers/offers-table.tsx';
import { PageLinks } from '../page-links.tsx';
import { useRead } from '../session.ts';

const modes = { LIVE: 'LIVE', TEST: 'TEST', both: 'Both' } as const;
const states = {
  '': 'All but deleted',
  'Awaiting Payment': 'Awaiting payment',
  Scheduled: 'Scheduled',
  Active: 'Active',
  Paused: 'Paused',
  Ended: 'Ended',
  Disabled: 'Disabled by the platform',
  Deleted: 'Deleted',
} as const satisfies Record<OfferFilter | '', string>;

function isOneOf<Names extends object>(names: Names, word: string): word is keyof Names & string {
  return Object.hasOwn(names, word);
}

/** The filters in the address. LIVE offers are shown first. */
function filtersIn(query: Readonly<Record<string, string>>) {
  const { title = '', organisation: organisationId = '', mode = '', state = '' } = query;
  return {
    title,
    organisationId,
    mode: isOneOf(modes, mode) ? mode : 'LIVE',
    state: isOneOf(states, state) ? state : '',
  };
}

export function Offers() {
  const { query, route } = useLocation();
  const { title, organisationId, mode, state } = filtersIn(query);
  const { cursor = '' } = query;
  const filters = { title, organisationId, mode: mode === 'both' ? '' : mode, state };
  const found = useRead<AdminOffersReply>(`/offers/offers${queryOf({ ...filters, cursor, limit: '25' })}`);
  const find = async (values: FormData) => {
    const words = textOf(values, 'title');
    // Numbers of offers are in mails, payments and addresses.
    if (/^[1-9]\d{0,9}$/.test(words)) route(`/offers/${words}`);
    else
      route(
        `/offers${queryOf({
          title: words,
          organisation: textOf(values, 'organisation'),
          mode: textOf(values, 'mode'),
          state: textOf(values, 'state'),
        })}`,
      );
    return null;
  };
  return (
    <ConsolePage
      title="Offers"
      lead={
        <>
          Of all organisations, newest first. <a href="/reviews">Review new and changed offers</a>
        </>
      }
    >
      <Form label="Search" submit="Search" send={find}>
        <div class="filters">
          <div class="field wide">
            <InputField
              label="Words of the title, or the number"
              key={title}
              name="title"
              type="search"
              defaultValue={title}
              maxLength={100}
            />
          </div>
          <InputField
            label="Id of the organisation"
            key={organisationId}
            name="organisation"
            inputmode="numeric"
            pattern="[1-9][0-9]{0,8}"
            defaultValue={organisationId}
          />
          <SelectField label="Mode" key={mode} name="mode">
            <Options of={Object.entries(modes)} chosen={mode} />
          </SelectField>
          <SelectField label="State" key={state} name="state">
            <Options of={Object.entries(states)} chosen={state} />
          </SelectField>
        </div>
      </Form>
      <Loaded query={found} what="offers" lines={10}>
        {({ offers, nextCursor }) => (
          <>
            {offers.length === 0 ? (
              <Empty title={nextCursor === null ? 'No matching offer' : 'No match among the latest offers'}>
                {nextCursor !== null && <p>There are older offers, which were not looked at yet.</p>}
              </Empty>
            ) : (
              <div class="card">
                <OffersTable offers={offers} foreign />
              </div>
            )}
            <PageLinks next={nextCursor} words={offers.length === 0 ? 'Look among older ones' : undefined} />
          </>
        )}
      </Loaded>
    </ConsolePage>
  );
}
