/** The pages that edit what members see of an offer, or of all offers of a group, with a preview. Place, time and audience stay: the price is theirs. */
import '../offers.css';
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import type { UpdateReply } from '@offer-ads/contracts/public/api';
import { useRef, useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { Form } from '../../../../../ui/form.tsx';
import { Outcome } from '../../../../../ui/outcome.tsx';
import { leavesUnknown } from '../../../attempts/attempt.ts';
import { PortalPage } from '../../../portal-page.tsx';
import { usePortal } from '../../../session.ts';
import { NotFound } from '../../not-found.tsx';
import { placesText } from '../groups.ts';
import { MemberCard } from '../member-card.tsx';
import { contentOf, type Draft, type Faults } from '../new/draft.ts';
import { TextFields } from '../new/form-texts.tsx';
import { PictureFields } from '../new/picture/form-picture.tsx';
import { placeRefusal } from '../new/price/place-refusal.ts';
import { useGroup, useOffer, useOffersChanged } from '../offers-data.ts';
import { quoted, quotedOffer } from '../quoted.ts';
import { isWithheld } from '../standing.ts';
import { editFaults, editRequest } from './edit-form.ts';
import { OfferNotLoaded } from './offer-not-loaded.tsx';
import { useObjectUrl } from './use-object-url.ts';

export function EditOffer() {
  const { id = '' } = useRoute().params;
  // What is being written is not replaced by what is read again.
  const offer = useOffer(id, () => false);
  if (offer.data === undefined) return <OfferNotLoaded title="Edit the offer" what="offer" query={offer} />;
  return <Editing key={id} offers={[offer.data]} />;
}

export function EditGroup() {
  const { id = '' } = useRoute().params;
  const group = useGroup(id, () => false);
  if (group.data === undefined) return <OfferNotLoaded title="Edit the offers" what="offers" query={group} />;
  const [first, ...others] = group.data.offers.filter(({ deleted_datetime: at }) => at === null);
  if (first === undefined) return <NotFound />;
  return <Editing key={id} groupId={group.data.group_id} offers={[first, ...others]} />;
}

type EditingProps = {
  /** One offer, or those of a group: the form begins with the texts of the first. */
  readonly offers: readonly [PortalOffer, ...PortalOffer[]];
  readonly groupId?: number;
};

function Editing({ offers: loaded, groupId }: EditingProps) {
  const { at, api, mode } = usePortal();
  const changed = useOffersChanged();
  const [offers] = useState(loaded);
  const [offer] = offers;
  const [draft, setDraft] = useState<Draft>(() => contentOf(offer));
  const [picture, setPicture] = useState<File | null>(null);
  const [faults, setFaults] = useState<Faults>({});
  const [isSaved, setIsSaved] = useState(false);
  // A repeat of the same change has the same key, so that it changes nothing more.
  const key = useRef(crypto.randomUUID());
  const chosen = useObjectUrl(picture);
  const isAlone = groupId === undefined;
  const what = isAlone ? 'offer' : 'offers';
  const places = isAlone ? '' : ` at ${placesText(offers.length)}`;
  const back = at(isAlone ? `offers/${offer.offer_id}` : `offers/groups/${groupId}`);
  const address = isAlone ? `offers/${offer.offer_id}` : `offer-groups/${groupId}`;

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
    const reply = await api.send<UpdateReply>('PATCH', `/${mode}/${address}`, {
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
      return `${reply.message} It is not known whether the change was made. Save again: it is made once.`;
    // The end of the offer has the code that a creation has for the balance.
    const placed = placeRefusal(reply.returnCode === 'E3' ? null : reply.returnCode, reply.message);
    setFaults(placed.faults);
    return placed.rest ?? 'Nothing was changed. Correct the marked field, then save again.';
  };

  if (isSaved)
    return (
      <PortalPage title={isAlone ? 'The offer is changed' : 'The offers are changed'}>
        <Outcome>
          {quoted(draft.title)} is changed{places}.
          {offers.some(isWithheld) &&
            ` ${isAlone ? 'It stays' : 'Those that are disabled stay'} disabled until the platform team has looked at the change. They were asked to look again.`}
          {offers.some(({ offer_status, status }) => offer_status === 'Active' && status === 'enabled') &&
            (mode === 'live'
              ? ' Members see the change already.'
              : ' It holds at once; no member sees a TEST offer.')}
        </Outcome>
        <div class="row">
          <a class="button" href={back}>
            Go to the {what}
          </a>
        </div>
      </PortalPage>
    );
  return (
    <PortalPage
      title={`Edit ${isAlone ? quotedOffer(offer) : quoted(offer.title) + places}`}
      lead={
        isAlone
          ? 'You cannot change place, time and audience, because the price depends on them. Extend or duplicate the offer instead.'
          : 'What you change here changes at all places. The rest stays as it is at each place.'
      }
    >
      <div class="edit-offer">
        <section class="card" aria-label="What members see">
          <Form
            label={`Edit the ${what}`}
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
              otherwise={`The ${isAlone ? 'picture stays as it is' : 'pictures stay as they are'}`}
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
