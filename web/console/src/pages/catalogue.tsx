/** Categories and interests: added, renamed, retired and used again. */
import type { Catalogue } from '@offer-ads/contracts/admin/offers-api';
import { InputField } from '../../../ui/field.tsx';
import { textOf } from '../../../ui/form.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Empty, Loaded } from '../../../ui/states.tsx';
import { Table } from '../../../ui/table.tsx';
import {
  type Entry,
  entriesOf,
  idsText,
  type Kind,
  nextId,
  readIds,
  withEntry,
} from '../catalogue/entries.ts';
import { ConsolePage } from '../console-page.tsx';
import { ActionButton } from '../may.tsx';
import { type CloseWithMessage, ReasonDialog } from '../reason-dialog.tsx';
import { useRead } from '../session.ts';
import { useAction } from '../use-action.ts';

type Action = 'add' | 'edit' | 'retire' | 'use again';
type Asking = { readonly action: Action; readonly kind: Kind; readonly entry: Entry };

const kinds = {
  category: { title: 'Categories', one: 'category' },
  interest: { title: 'Interests', one: 'interest' },
} as const;

export function CataloguePage() {
  const catalogue = useRead<Catalogue>('/offers/catalogue');
  const { asking, done, begin, end } = useAction<Asking>();
  return (
    <ConsolePage
      title="Catalogue"
      lead="The categories and interests that advertisers choose from. Nothing is ever removed. A retired one cannot be chosen any more; offers that have it keep it."
    >
      {done !== null && <Notice kind="good">{done}</Notice>}
      <Loaded query={catalogue} what="the catalogue" lines={12}>
        {(data) => (
          <>
            {(['category', 'interest'] as const).map((kind) => (
              <Entries key={kind} of={data} kind={kind} begin={begin} />
            ))}
            {asking !== null && <EntryDialog of={data} {...asking} close={end} />}
          </>
        )}
      </Loaded>
    </ConsolePage>
  );
}

type EntriesProps = {
  readonly of: Catalogue;
  readonly kind: Kind;
  readonly begin: (asking: Asking) => void;
};

function Entries({ of, kind, begin }: EntriesProps) {
  const entries = entriesOf(of, kind);
  const { title, one } = kinds[kind];
  const fresh = { id: nextId(of, kind), name: '', active: true, organisationIds: null };
  return (
    <section class="card" aria-labelledby={kind}>
      <div class="row spread">
        <h2 id={kind}>{title}</h2>
        <ActionButton
          call="PUT /offers/catalogue"
          class="quiet"
          onClick={() => begin({ action: 'add', kind, entry: fresh })}
        >
          Add {kind === 'interest' ? 'an' : 'a'} {one} …
        </ActionButton>
      </div>
      {entries.length === 0 ? (
        <Empty title={`There are no ${title.toLowerCase()} yet`} />
      ) : (
        <Table
          rows={entries}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Id', numeric: true, cell: ({ id }) => id },
            { title: 'Name', kind: 'name', cell: ({ name }) => name },
            {
              title: 'State',
              cell: ({ active }) => (
                <span class={`badge ${active ? 'good' : 'muted'}`}>{active ? 'in use' : 'retired'}</span>
              ),
            },
            kind === 'category' && {
              title: 'For organisations',
              short: 'For',
              cell: ({ organisationIds }) => idsText(organisationIds) || 'everybody',
            },
            {
              title: 'Actions',
              kind: 'actions',
              cell: (entry) => (
                <div class="row actions">
                  <ActionButton
                    call="PUT /offers/catalogue"
                    class="quiet"
                    label={`Change ${entry.name} …`}
                    onClick={() => begin({ action: 'edit', kind, entry })}
                  >
                    Change …
                  </ActionButton>
                  <ActionButton
                    call="PUT /offers/catalogue"
                    class={entry.active ? 'danger' : 'quiet'}
                    label={`${entry.active ? 'Retire' : 'Use'} ${entry.name}${entry.active ? '' : ' again'} …`}
                    onClick={() => begin({ action: entry.active ? 'retire' : 'use again', kind, entry })}
                  >
                    {entry.active ? 'Retire …' : 'Use again …'}
                  </ActionButton>
                </div>
              ),
            },
          ]}
        />
      )}
    </section>
  );
}

const dones: Record<Action, string> = {
  add: 'added',
  edit: 'changed',
  retire: 'retired',
  'use again': 'in use again',
};

const effects: Record<Action, Record<Kind, string>> = {
  add: {
    category: 'Advertisers can choose it at once.',
    interest:
      'Advertisers can target it at once. Members have it only when the community platform sends this id, so agree on the id with its operators first. Until then nobody matches.',
  },
  edit: {
    category:
      'Offers that have it show the new name at once. Integrations send the id, so they notice nothing.',
    interest:
      'Offers that target it keep targeting the same members. Rename it only to say the same thing better: never give an id another meaning.',
  },
  retire: {
    category:
      'No new offer can have it: integrations that send its id are refused with E1. Offers that have it run on and show its name.',
    interest:
      'No new offer can target it: integrations that send its id are refused with E1. Offers that target it run on and reach the same members.',
  },
  'use again': {
    category: 'Advertisers can choose it again, at once.',
    interest: 'Advertisers can target it again, at once.',
  },
};

type EntryDialogProps = Asking & {
  readonly of: Catalogue;
  readonly close: CloseWithMessage;
};

function EntryDialog({ of, action, kind, entry, close }: EntryDialogProps) {
  const { one } = kinds[kind];
  const isForm = action === 'add' || action === 'edit';
  const titles = {
    add: `Add ${kind === 'interest' ? 'an' : 'a'} ${one}`,
    edit: `Change the ${one} ${entry.name}`,
    retire: `Retire the ${one} ${entry.name}?`,
    'use again': `Use the ${one} ${entry.name} again?`,
  };
  const submits = { add: 'Add it', edit: 'Change it', retire: 'Retire it', 'use again': 'Use it again' };
  const changed = (values: FormData): Entry | string => {
    if (!isForm) return { ...entry, active: action === 'use again' };
    const id = action === 'add' ? Number(textOf(values, 'id')) : entry.id;
    if (action === 'add' && entriesOf(of, kind).some((known) => known.id === id))
      return `There is a ${one} with the id ${id} already`;
    const organisationIds = kind === 'category' ? readIds(textOf(values, 'organisations')) : null;
    if (organisationIds === undefined)
      return 'The organisations must be ids such as 3, 7, or the word nobody';
    return { ...entry, id, name: textOf(values, 'name'), organisationIds };
  };
  return (
    <ReasonDialog
      title={titles[action]}
      submit={submits[action]}
      ends={action === 'retire'}
      act={(send, values) => {
        const entry = changed(values);
        if (typeof entry === 'string') return entry;
        return send('/offers/catalogue', withEntry(of, kind, entry), 'PUT');
      }}
      done={() => `The ${one} is ${dones[action]}.`}
      close={close}
    >
      <p>{effects[action][kind]}</p>
      {action === 'add' && (
        <InputField
          label="Id"
          hint="It can never be changed, and never be used for something else."
          name="id"
          type="number"
          inputmode="numeric"
          min={1}
          max={2_147_483_647}
          defaultValue={String(entry.id)}
          required
        />
      )}
      {isForm && (
        <InputField
          label="Name"
          name="name"
          maxLength={100}
          autocomplete="off"
          defaultValue={entry.name}
          required
        />
      )}
      {isForm && kind === 'category' && (
        <InputField
          label="Only for organisations (optional)"
          hint="Ids such as 3, 7, or nobody. Leave it empty for everybody."
          name="organisations"
          autocomplete="off"
          defaultValue={idsText(entry.organisationIds)}
        />
      )}
    </ReasonDialog>
  );
}
