/**
 * Buying: needs a quote, the most that it may cost, and an idempotency key. In LIVE mode it also needs a key with a spending limit, or a
 * person who consents to this very purchase.
 */
import { createHash } from 'node:crypto';
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { createOfferForm, type KeyReply } from '@offer-ads/contracts/public/api';
import { groupEstimateRequest } from '@offer-ads/contracts/public/groups-api';
import { amountInJson, formatMinor } from '@offer-ads/contracts/values/currencies';
import { idempotencyKey } from '@offer-ads/contracts/values/idempotency-key';
import { placeLimits } from '@offer-ads/contracts/values/places';
import { offerId, quoteId } from '@offer-ads/contracts/values/primitives';
import { termsOfQuote } from '@offer-ads/contracts/values/quote-text';
import type { OfferAds } from '@offer-ads/sdk/client';
import type { CreateOfferRequest, Gender } from '@offer-ads/sdk/types';
import { z } from 'zod';
import { offerContent, picture, pictureOf } from './offer-content.ts';
import { failed, refused, succeeded } from './results.ts';

const missing = (text: string) => ({ error: `E1: it is missing: ${text}` });

/** What every purchase needs. Each refusal says what to do. */
const bounds = {
  max_cost: z.number(missing('send the most that the person lets you spend')).positive().meta({
    description:
      'The most that the person lets you spend, in the currency of the estimate, net of VAT. Nothing is bought when the cost is higher.',
  }),
  idempotency_key: z
    .string(
      missing('make up a text for each purchase, such as a UUID, and repeat it when you repeat the call'),
    )
    .pipe(idempotencyKey)
    .meta({
      description: 'A text of yours for each purchase, such as a UUID. Repeated with it, a call buys once.',
    }),
  payment_method: z
    .enum(['B', 'E'], {
      error:
        'E1: send B to pay from the prepaid balance at once, or E for a link by which a person pays by card',
    })
    .meta({ description: '`B` prepaid balance, `E` payment link by card.' }),
};
const purchase = {
  quote_id: z
    .string(missing('call estimate_price for the offer, and send the quote_id of its reply'))
    .pipe(quoteId)
    .meta({ description: 'From estimate_price for this offer. The offer costs what that estimate says.' }),
  ...bounds,
};

const { shape: form } = createOfferForm;
const anyOffer = offerContent.extend({
  radius: form.radius,
  gender: form['gender[]'],
  interests: form['interests[]'],
  start_datetime: form.start_datetime,
  expiry_datetime: form.expiry_datetime,
});
export const newOffer = anyOffer.extend({ location: form['location[]'], ...purchase });
/** Without a quote: the API itself refuses a cost above `max_cost` (decision 270, offer groups). */
export const newGroup = anyOffer.extend({
  places: z
    .array(groupEstimateRequest.shape.places.element.extend(picture))
    .min(1)
    .max(placeLimits.most)
    .meta({ description: 'A place may have a picture of its own, instead of the one for all.' }),
  ...bounds,
});
export const longerOffer = z.object({ offer_id: offerId, ...purchase });

export type Buyer = {
  readonly ads: OfferAds;
  /** Of the connection, for clients of revisions before 2026-07-28. */
  readonly capabilities: () => ClientCapabilities | undefined;
};

export async function createOffer(
  buyer: Buyer,
  args: z.output<typeof newOffer>,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { idempotency_key: _key, ...offer } = args;
  if (!hasOnePicture(offer)) return onePicture;
  return buy(buyer, { args, ctx, title: offer.title }, pictureOf(offer));
}

export async function createGroup(
  { ads, capabilities }: Buyer,
  args: z.output<typeof newGroup>,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { idempotency_key: idempotencyKey, ...given } = args;
  const group = withPictures(given);
  if (group === null) return onePicture;
  const { signal } = ctx.mcpReq;
  const key = ads.mode === 'TEST' ? null : (await ads.key.get({ signal })).value;
  if (key !== null && !isBounded(key)) {
    const { length } = group.places;
    const consent = consentTo(
      { args, ctx, title: group.title },
      {
        cost: `at ${length} ${length === 1 ? 'place' : 'places'} for at most ${args.max_cost} ${key.currency}`,
        startAt: args.start_datetime,
        endAt: args.expiry_datetime,
        capabilities: capabilities(),
      },
    );
    if (consent !== 'given') return consent;
  }
  const bought = await ads.groups.create(group, { idempotencyKey, signal });
  return bought.ok ? succeeded(bought.value, { hasTextsOfPeople: false }) : refused('createGroup', bought);
}

type Group = Omit<z.output<typeof newGroup>, 'idempotency_key'>;
type OfPicture = Pick<z.output<typeof offerContent>, keyof typeof picture>;

function picturesIn(o: OfPicture): number {
  return [o.image_base64, o.image_offer_id].filter((one) => one !== undefined).length;
}

function hasOnePicture(o: OfPicture): boolean {
  return picturesIn(o) === 1;
}

/** As the SDK takes it: each place names its picture, unless all have the same. Null unless each has one. */
function withPictures({ image_base64, image_offer_id, places, ...group }: Group) {
  const ofAll = { image_base64, image_offer_id };
  const isOne = places.every((place) => picturesIn(place) === 0);
  if (isOne) return hasOnePicture(ofAll) ? pictureOf({ ...group, ...ofAll, places }) : null;
  const owns = places.map((place) => (picturesIn(place) === 0 ? ofAll : place));
  if (picturesIn(ofAll) > 1 || !owns.every(hasOnePicture)) return null;
  const image: Record<string, Uint8Array> = {};
  const named = places.map(({ image_base64: _bytes, image_offer_id: _id, ...place }, index) => {
    const own = owns[index] ?? ofAll;
    if (own.image_base64 === undefined) return { ...place, image_offer_id: own.image_offer_id };
    const name = own === ofAll ? 'all' : `place-${index}`;
    image[name] = Buffer.from(own.image_base64, 'base64');
    return { ...place, image: name };
  });
  return { ...group, image, places: named };
}

const onePicture = failed('E1: one picture is needed', 'Send either image_base64 or image_offer_id.');

/** As the portal extends one: a new offer with its content and picture, for the time of the quote (decision 241, picture of another offer). */
export async function extendOffer(
  buyer: Buyer,
  args: z.output<typeof longerOffer>,
  ctx: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { signal } = ctx.mcpReq;
  const terms = termsOfQuote(args.quote_id);
  if (terms === null) return noQuote;
  const earlier = await buyer.ads.offers.get(args.offer_id, { signal });
  if (!earlier.ok) return refused('readOffer', earlier);
  const { categories } = (await buyer.ads.categories.list({ signal })).value;
  const { title, description, terms_and_conditions, advertised_name, url, category, ...place } =
    earlier.value;
  const category_id = categories.find(({ category_name }) => category_name === category)?.category_id;
  if (category_id === undefined)
    return failed('E1: the category of the offer is no longer there', 'Create a new offer instead.');
  return buy(
    buyer,
    { args, ctx, title },
    {
      title,
      description,
      terms_and_conditions,
      advertised_name,
      url,
      category_id,
      image_offer_id: args.offer_id,
      location: [place.latitude, place.longitude],
      radius: place.radius,
      gender: place.gender as Gender[],
      interests: place.interests.map(({ interest_id }) => interest_id),
      start_datetime: terms.startAt,
      expiry_datetime: terms.endAt,
      payment_method: args.payment_method,
      quote_id: args.quote_id,
      max_cost: args.max_cost,
    },
  );
}

type Purchase = {
  readonly args: z.output<z.ZodObject<typeof bounds>>;
  readonly ctx: ServerContext;
  readonly title: string;
};

async function buy(
  buyer: Buyer,
  o: Purchase & { readonly args: { readonly quote_id: string } },
  request: CreateOfferRequest,
): Promise<CallToolResult | InputRequiredResult> {
  const { args, ctx } = o;
  const { signal } = ctx.mcpReq;
  const terms = termsOfQuote(args.quote_id);
  if (terms === null) return noQuote;
  const { costMinor, currency } = terms;
  if (amountInJson(costMinor, currency) > args.max_cost)
    return failed(
      `E1: the offer costs ${formatMinor(costMinor, currency)} ${currency}, which is above max_cost. Nothing was bought`,
      'Estimate a shorter time or a smaller radius, or ask the person for more.',
    );
  if (buyer.ads.mode !== 'TEST' && !isBounded((await buyer.ads.key.get({ signal })).value)) {
    const cost = `for ${formatMinor(costMinor, currency)} ${currency}`;
    const consent = consentTo(o, { ...terms, cost, capabilities: buyer.capabilities() });
    if (consent !== 'given') return consent;
  }
  const bought = await buyer.ads.offers.create(request, { idempotencyKey: args.idempotency_key, signal });
  return bought.ok ? succeeded(bought.value, { hasTextsOfPeople: false }) : refused('createOffer', bought);
}

/** The key has a spending limit, or a person pays each offer by its link. */
function isBounded({
  access,
  spending_limits: limits,
}: Pick<KeyReply, 'access' | 'spending_limits'>): boolean {
  return access === 'no-spending' || limits.day !== null || limits.month !== null;
}

const noQuote = failed(
  'E1: the quote_id is not one of estimate_price',
  'Call estimate_price, and send the quote_id of its reply.',
);

const answer = z.object({ buy: z.boolean().meta({ title: 'Buy this offer' }) });

/**
 * Nothing is remembered between question and answer: the question is named after the arguments of the purchase, so an answer to another
 * purchase is no consent. The price that is shown is that of the quote, which the API refuses if anybody changed it, or the bound that the
 * API keeps.
 */
function consentTo(
  { args, ctx, title }: Purchase,
  o: {
    readonly cost: string;
    readonly startAt: string;
    readonly endAt: string;
    readonly capabilities: ClientCapabilities | undefined;
  },
): 'given' | CallToolResult | InputRequiredResult {
  const { inputResponses, envelope } = ctx.mcpReq;
  const question = `purchase-${createHash('sha256').update(JSON.stringify(args)).digest('base64url')}`;
  if (inputResponses !== undefined && Object.hasOwn(inputResponses, question)) {
    if (acceptedContent(inputResponses, question, answer)?.buy === true) return 'given';
    return failed('The person did not agree. Nothing was bought', 'Ask the person what to change.');
  }
  // Since 2026-07-28 each request says what its client can do.
  const declared = (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
  const { elicitation } = (declared === undefined ? o.capabilities : (declared as ClientCapabilities)) ?? {};
  const canAsk =
    elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  if (!canAsk)
    return failed(
      'E1: this is LIVE money, the key has no spending limit, and this client cannot ask the person. Nothing was bought',
      'Ask the person to give the key a spending limit in the portal.',
    );
  const payment =
    args.payment_method === 'B' ? 'from the prepaid balance' : 'by a card link, plus VAT where it applies';
  const days = Math.round((Date.parse(o.endAt) - Date.parse(o.startAt)) / 8_640_000) / 10;
  const message = `Buy the LIVE offer ${JSON.stringify(title)} ${o.cost}, ${payment}? It runs ${days} days, from ${o.startAt} to ${o.endAt}.`;
  return inputRequired({
    inputRequests: { [question]: inputRequired.elicit({ message, requestedSchema: answer }) },
  });
}
