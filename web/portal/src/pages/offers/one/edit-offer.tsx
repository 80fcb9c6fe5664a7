/** The page that edits what members see of an offer, with a preview. Place, time and audience stay: the price is theirs. */
import '../offers.css';
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import type { UpdateReply } from '@offer-ads/contracts/public/api';
import { useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Form } from '../../../../../ui/form.tsx';
import { Outcome } from '../../../../../ui/outcome.tsx';
import { Failed, Loading } from '../../../../../ui/states.tsx';
import { leavesUnknown } from '../../../attempts/attempt.ts';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { MemberCard } from '../member-card.tsx';
import { contentOf, type Draft, type Faults } from '../new/draft.ts';
import { PictureFields } from '../new/form-picture.tsx';
import { TextFields } from '../new/form-texts.tsx';
import { placeRefusal } from '../new/place-refusal.ts';
import { useOffer, useOffersChanged } from '../offers-data.ts';
import { quoted } from '../quoted.ts';
import { isWithheld } from '../standing.ts';
import { editFaults, editRequest } from './edit-form.ts';
import { useObjectUrl } from './use-object-url.ts';

export function EditOffer() {
  const { id = '' } = useRoute().params;
  // What is being written is not replaced by what is read again.
  const offer = useOffer(id, () => false);
  if (offer.isSuccess) return <Editing key={id} offer={offer.data} />;
  return (
    <PortalPage title="Edit the offer">
      {offer.isError ? (
        <Failed error={offer.error} retry={offer.refetch} />
      ) : (
        <Loading what="the offer" lines={9} />
      )}
    </PortalPage>
  );
}

function Editing({ offer: loaded }: { readonly offer: PortalOffer }) {
  const { at, api, mode } = usePortal();
  const changed = useOffersChanged();
  const [offer] = useState(loaded);
  const [draft, setDraft] = useState<Draft>(() => contentOf(offer));
  const [picture, setPicture] = useState<File | null>(null);
  const [faults, setFaults] = useState<Faults>({});
  const [isSaved, setIsSaved] = useState(false);
  // A repeat of the same change has the same key, so that it changes nothing more.
  const key = useRef(crypto.randomUUID());
  const chosen = useObjectUrl(picture);
  const back = at(`offers/${offer.offer_id}`);

  const begin = () => {
    key.current = crypto.randomUUID();
    setFaults({});
  };

  const save = async (): Promise<string | null> => {
    const own = editFaults(offer, draft, picture);
    setFaults(own);
    if (Object.keys(own).length > 0)
      return 'Some fields are wrong. Correct the marked fields, then save again.';
    const form = editRequest(offer, draft, picture);
    if (form === null) return 'Nothing is changed yet.';
    const reply = await api.send<UpdateReply>('PATCH', `/${mode}/offers/${offer.offer_id}`, {
      form,
      headers: { 'idempotency-key': key.current },
      // The service may take 15 s after the picture has arrived, and the upload may be slow.
      timeoutMs: 50_000,
    });
    if (reply.ok) {
      await changed();
      setIsSaved(true);
      return null;
    }
    if (leavesUnknown(reply, false))
      return `${reply.message} It is not known whether the offer was changed. Save again: the change is made once.`;
    // The end of the offer has the code that a creation has for the balance.
    const placed = placeRefusal(reply.returnCode === 'E3' ? null : reply.returnCode, reply.message);
    setFaults(placed.faults);
    return placed.rest ?? 'Nothing was changed. Correct the marked field, then save again.';
  };

  if (isSaved)
    return (
      <PortalPage title="The offer is changed">
        <Outcome>
          {quoted(draft.title)} is changed.
          {isWithheld(offer) &&
            ' It stays disabled until the platform team has looked at it. They were asked to look again.'}
          {offer.offer_status === 'Active' &&
            offer.status === 'enabled' &&
            (mode === 'live'
              ? ' Members see the change already.'
              : ' It holds at once; no member sees a TEST offer.')}
        </Outcome>
        <div class="row">
          <a class="button" href={back}>
            Go to the offer
          </a>
        </div>
      </PortalPage>
    );
  return (
    <PortalPage
      title={`Edit ${quoted(offer.title)}`}
      lead="You cannot change place, time and audience, because the price depends on them. Extend or duplicate the offer instead."
    >
      <div class="edit-offer">
        <section class="card" aria-label="What members see">
          <Form
            label="Edit the offer"
            submit="Save the changes"
            send={save}
            actions={
              <a class="button quiet" href={back}>
                Cancel
              </a>
            }
          >
            <TextFields
              draft={draft}
              faults={faults}
              set={(part) => {
                begin();
                setDraft((before) => ({ ...before, ...part }));
              }}
            />
            <PictureFields
              picture={picture}
              otherwise="The picture stays as it is"
              fault={faults.picture}
              choose={(next) => {
                begin();
                setPicture(next);
              }}
            />
          </Form>
        </section>
        <div class="preview">
          <p class="label">Preview</p>
          <MemberCard draft={draft} picture={chosen ?? offer.image} />
        </div>
      </div>
    </PortalPage>
  );
}
