/** Who of an organisation to write to, and what staff noted about it. The organisation never sees the notes. */
import type { NotesReply, OrganisationNote, PeopleReply } from '@offer-ads/contracts/admin/gateway-api';
import { useQueryClient } from '@tanstack/preact-query';
import { Confirm } from '../../../ui/confirm.tsx';
import { DialogForm } from '../../../ui/dialog-form.tsx';
import { TextAreaField } from '../../../ui/field.tsx';
import { textOf } from '../../../ui/form.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Table } from '../../../ui/table.tsx';
import { When } from '../../../ui/when.tsx';
import { ActionButton } from '../may.tsx';
import { useConsole, useRead } from '../session.ts';
import { useAction } from '../use-action.ts';
import { Part } from './organisation-parts.tsx';

const add = 'POST /gateway/organisations/:id/notes/add';
const remove = 'POST /gateway/organisations/:id/notes/:note/delete';

export function OrganisationContact({ id }: { readonly id: number }) {
  const people = useRead<PeopleReply>(`/gateway/organisations/${id}/people`);
  // Who was invited and has not signed in may be a stranger: a mistyped address.
  const reached = people.data?.people.filter((one) => one.enabled && one.awaited !== true) ?? [];
  const admins = reached.filter(({ role }) => role === 'admin');
  const rows = [
    ['Owner, its first admin', admins.slice(0, 1)],
    ['Other admins', admins.slice(1)],
    ['About invoices and payments', reached.filter(({ role }) => role === 'finance')],
  ] as const;
  return (
    <Part
      title="Contact"
      query={people}
      empty={reached.length === 0 ? 'Nobody who is enabled has signed in yet' : null}
    >
      {() => (
        <dl class="facts">
          {rows
            .filter(([, some]) => some.length > 0)
            .flatMap(([what, some]) => [
              <dt key={what}>{what}</dt>,
              <dd key={`${what}:`}>
                {some.map(({ email }) => (
                  <div key={email}>
                    <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>
                  </div>
                ))}
              </dd>,
            ])}
        </dl>
      )}
    </Part>
  );
}

export function OrganisationNotes({ id }: { readonly id: number }) {
  const path = `/gateway/organisations/${id}/notes`;
  const notes = useRead<NotesReply>(path);
  const queries = useQueryClient();
  const { send } = useConsole();
  const { asking, done, begin, end } = useAction<OrganisationNote | 'new'>();
  const change = async (to: string, json: object, words: string) => {
    const reply = await send(`${path}/${to}`, json);
    if (!reply.ok) return reply;
    await queries.invalidateQueries({ queryKey: [path] });
    end(words);
    return undefined;
  };
  return (
    <>
      {done !== null && <Notice kind="good">{done}</Notice>}
      <Part
        title="Notes of staff"
        query={notes}
        empty={notes.data?.notes.length === 0 ? 'No notes yet' : null}
        action={
          <ActionButton call={add} class="quiet" onClick={() => begin('new')}>
            Add a note …
          </ActionButton>
        }
      >
        {(data) => (
          <Table
            rows={data.notes}
            keyOf={(note) => note.id}
            columns={[
              { title: 'When', cell: ({ writtenAt }) => <When at={writtenAt} /> },
              { title: 'Who', cell: ({ writtenBy }) => <span class="actor">{writtenBy}</span> },
              { title: 'Note', kind: 'name', cell: ({ text }) => <div class="as-written">{text}</div> },
              {
                title: 'Delete',
                kind: 'actions',
                cell: (note) => (
                  <div class="row actions">
                    <ActionButton
                      call={remove}
                      class="quiet"
                      label={`Delete the note of ${note.writtenBy} …`}
                      onClick={() => begin(note)}
                    >
                      Delete …
                    </ActionButton>
                  </div>
                ),
              },
            ]}
          />
        )}
      </Part>
      {asking === 'new' && (
        <DialogForm
          title="Add a note"
          submit="Add it"
          send={async (values) =>
            (await change('add', { text: textOf(values, 'text') }, 'The note is added.'))?.message ?? null
          }
          close={() => end(null)}
        >
          <TextAreaField
            label="Note"
            hint="All staff read it, with your name; the organisation never does. Write no personal data that the case does not need."
            name="text"
            rows={4}
            maxLength={2_000}
            placesFaults
            required
          />
        </DialogForm>
      )}
      {asking !== null && asking !== 'new' && (
        <Confirm
          title="Delete this note for ever?"
          submit="Delete it"
          act={() => change(`${asking.id}/delete`, {}, 'The note is deleted.')}
          close={() => end(null)}
        >
          <p class="as-written">{asking.text}</p>
        </Confirm>
      )}
    </>
  );
}
