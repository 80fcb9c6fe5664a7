/** The list of saved places: rename and delete. They are saved in the form for a new offer. */
import { coordinatesText, milesText } from '@offer-ads/contracts/places/cities';
import type { SavedPlace } from '@offer-ads/contracts/portal/organisation-api';
import { useState } from 'preact/hooks';
import { DialogForm } from '../../../../ui/dialog-form.tsx';
import { textOf } from '../../../../ui/form.tsx';
import { Empty, Loaded } from '../../../../ui/states.tsx';
import { Table } from '../../../../ui/table.tsx';
import { useChangePlaces, useSavedPlaces } from '../../saved-places.ts';
import { usePortal } from '../../session.ts';
import { PlaceNameField } from './place-name-field.tsx';

type Asked = { readonly what: 'rename' | 'delete'; readonly place: SavedPlace };

export function SavedPlacesCard() {
  const { at } = usePortal();
  const places = useSavedPlaces();
  const { rename, remove } = useChangePlaces();
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const closedAfter = (message: string | null) => {
    if (message === null) close();
    return message;
  };
  return (
    <section class="stack" aria-labelledby="saved-places">
      <h2 id="saved-places">Saved places</h2>
      <p class="muted">Choose them with one click in a new offer. TEST and LIVE mode share them.</p>
      <Loaded query={places} what="saved places" lines={3}>
        {({ places: all }) =>
          all.length === 0 ? (
            <Empty title="No place is saved yet">
              <p class="muted">Save one in the form for a new offer, below its map.</p>
              <a class="button quiet" href={at('offers/new')}>
                New offer
              </a>
            </Empty>
          ) : (
            <div class="card">
              <Table
                rows={all}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: 'Name',
                    kind: 'name',
                    cell: ({ name }) => <span class="as-written">{name}</span>,
                  },
                  { title: 'Position', cell: coordinatesText },
                  {
                    title: 'Radius',
                    cell: ({ radiusMiles }) => (radiusMiles === null ? '–' : milesText(radiusMiles)),
                  },
                  {
                    title: 'Actions',
                    kind: 'actions',
                    cell: (place) => (
                      <div class="row">
                        <button
                          type="button"
                          class="quiet small"
                          aria-label={`Rename ${place.name}`}
                          onClick={() => setAsked({ what: 'rename', place })}
                        >
                          Rename
                        </button>
                        <button
                          type="button"
                          class="quiet small"
                          aria-label={`Delete ${place.name}`}
                          onClick={() => setAsked({ what: 'delete', place })}
                        >
                          Delete
                        </button>
                      </div>
                    ),
                  },
                ]}
              />
            </div>
          )
        }
      </Loaded>
      {asked?.what === 'rename' && (
        <DialogForm
          title="Rename the place"
          submit="Save the name"
          send={async (values) => closedAfter(await rename(asked.place, textOf(values, 'name')))}
          close={close}
        >
          <PlaceNameField value={asked.place.name} />
        </DialogForm>
      )}
      {asked?.what === 'delete' && (
        <DialogForm
          title={`Delete “${asked.place.name}”?`}
          submit="Delete the place"
          kind="danger"
          send={async () => closedAfter(await remove(asked.place))}
          close={close}
          cautious
        >
          <p>Offers that were made for it stay as they are.</p>
        </DialogForm>
      )}
    </section>
  );
}
