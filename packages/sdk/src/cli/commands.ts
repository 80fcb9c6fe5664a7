/** The table of commands: arguments, help text and action of each. */
import type { OfferAds } from '../client.ts';
import type {
  AnalyticsInterval,
  Gender,
  ListOffersRequest,
  ResultsRequest,
  SeriesRequest,
  UpdateOfferRequest,
} from '../types.ts';
import {
  type Flags,
  instant,
  optionalText,
  period,
  picture,
  place,
  places,
  placesWithPictures,
  requiredText,
  texts,
  UsageError,
  wholeNumber,
} from './arguments.ts';
import {
  type Command,
  type Given,
  howMany,
  listed,
  type Option,
  type Shown,
  shown,
  Unfinished,
} from './command.ts';
import {
  analyticsText,
  balanceText,
  categoriesText,
  changesText,
  createdGroupText,
  createdText,
  estimateText,
  groupChangeText,
  groupEstimateText,
  groupText,
  interestsText,
  offerResultsText,
  offersText,
  offerText,
  printed,
  resultsText,
  seriesText,
  testClockText,
} from './print.ts';
import { webhookCommands } from './webhook-commands.ts';

type TextField = Exclude<keyof UpdateOfferRequest, 'category_id' | 'image' | 'environment'>;
/** The texts of an offer by the field of the API: the flag of each. */
const textFlags: { readonly [Field in TextField]: Option & { readonly flag: string } } = {
  title: { flag: 'title', value: 'TEXT', help: 'up to 40 characters' },
  description: { flag: 'description', value: 'TEXT', help: 'up to 500 characters' },
  terms_and_conditions: {
    flag: 'terms',
    value: 'TEXT',
    help: 'terms and conditions of the offer, up to 500 characters',
  },
  advertised_name: { flag: 'advertised-name', value: 'NAME', help: 'instead of the trading name' },
  url: { flag: 'url', value: 'URL', help: 'the page of the offer' },
};

function givenTexts(flags: Flags): { [Field in TextField]?: string | undefined } {
  return Object.fromEntries(
    Object.entries(textFlags).map(([field, { flag }]) => [field, optionalText(flags, flag)]),
  );
}

/** What members see. */
const content = {
  category: { value: 'ID', help: 'of `offer-ads categories`' },
  ...Object.fromEntries(Object.values(textFlags).map(({ flag, ...option }) => [flag, option])),
  image: { value: 'FILE', help: 'JPG, PNG or GIF, at most 5 MB' },
} as const;

const audience = {
  radius: { value: 'MILES', help: '5 to 30' },
  gender: {
    multiple: true,
    value: 'GENDER',
    help: 'Male, Female or Non-binary; may be repeated; everybody if omitted',
  },
  interest: {
    multiple: true,
    value: 'ID',
    help: 'may be repeated; reaches members with at least one of them',
  },
  start: { value: 'TIME', help: 'now when omitted; 2035-06-01T12:00:00Z, or +2h from now' },
  end: { value: 'TIME', help: 'such as +48h or +7d from the start' },
} as const;

const centre = {
  at: { value: 'LAT,LON', help: 'the centre; write --at=-33.87,151.21 if it begins with a minus' },
} as const;

const centres = {
  place: {
    multiple: true,
    value: 'PLACE',
    help: '"51.5136,-0.1365 Soho": latitude, longitude and a name for you; repeated for each place',
  },
} as const;

function audienceOf(flags: Flags) {
  return {
    radius: wholeNumber(requiredText(flags, 'radius'), '--radius'),
    gender: texts(flags, 'gender') as readonly Gender[],
    interests: texts(flags, 'interest').map((id) => wholeNumber(id, '--interest')),
  };
}

const idOf = ({ positionals }: Given, what: 'OFFER' | 'GROUP'): number =>
  wholeNumber(positionals[0] ?? '', what);
const offerId = (given: Given) => idOf(given, 'OFFER');
const groupId = (given: Given) => idOf(given, 'GROUP');

const purchase = {
  pay: { value: 'HOW', help: 'card or balance' },
  'max-cost': { value: 'AMOUNT', help: 'buy nothing if it costs more, net of VAT' },
  'idempotency-key': { value: 'KEY', help: 'a unique value; a repetition with it buys nothing more' },
} as const;

/** What `offers create` and `groups create` have in common. */
async function orderOf({ flags, now }: Given) {
  const { start, end } = period(flags, now);
  const pay = { card: 'E', balance: 'B' }[requiredText(flags, 'pay')] as 'E' | 'B' | undefined;
  if (pay === undefined) throw new UsageError('--pay must be card or balance');
  const most = optionalText(flags, 'max-cost');
  if (most !== undefined && !/^\d+(\.\d+)?$/.test(most))
    throw new UsageError('--max-cost must be an amount, such as 60.00');
  const request = {
    category_id: wholeNumber(requiredText(flags, 'category'), '--category'),
    ...givenTexts(flags),
    title: requiredText(flags, 'title'),
    description: requiredText(flags, 'description'),
    url: requiredText(flags, 'url'),
    ...audienceOf(flags),
    start_datetime: start,
    expiry_datetime: end,
    payment_method: pay,
    max_cost: most === undefined ? undefined : Number(most),
  };
  const idempotencyKey = optionalText(flags, 'idempotency-key') ?? crypto.randomUUID();
  return { request, idempotencyKey, again: { start, end, 'idempotency-key': idempotencyKey } };
}

function update(
  what: 'OFFER' | 'GROUP',
  { summary, example }: { readonly summary: string; readonly example: string },
): Command {
  return {
    summary,
    positionals: [what],
    options: content,
    example,
    run: async (ads, given) => {
      const { flags, signal } = given;
      const category = optionalText(flags, 'category');
      const image = optionalText(flags, 'image');
      const request = {
        category_id: category === undefined ? undefined : wholeNumber(category, '--category'),
        ...givenTexts(flags),
        image: image === undefined ? undefined : await picture(image),
      };
      const { offers, groups } = ads;
      const result = await (what === 'OFFER' ? offers : groups).update(idOf(given, what), request, {
        signal,
      });
      return shown<{ readonly message: string }>(result, ({ message }) => `${printed(message)}\n`);
    },
  };
}

const interval = { value: 'INTERVAL', help: '24h, 7d, 30d, 60d, 90d or all; 7d when omitted' } as const;
const intervalOf = ({ flags }: Given) => (optionalText(flags, 'interval') ?? '7d') as AnalyticsInterval;
const days = {
  from: { value: 'DAY', help: 'with --to and instead of --interval: days such as 2026-06-30' },
  to: { value: 'DAY', help: 'the last day, which is included' },
} as const;

function series(what: 'OFFER' | 'GROUP', of: string): Command {
  return {
    summary: `views and clicks of ${of} over time, in UTC`,
    positionals: [what],
    options: {
      interval,
      ...days,
      granularity: { value: 'LENGTH', help: 'hour or day; day when omitted' },
    },
    example: `offer-ads ${what === 'OFFER' ? 'offers series 4711' : 'groups series 17'} --interval 24h --granularity hour`,
    run: async ({ offers, groups }, given) => {
      const { flags, signal } = given;
      const granularity = (optionalText(flags, 'granularity') ?? 'day') as SeriesRequest['granularity'];
      const [from, to] = (['from', 'to'] as const).map((name) => optionalText(flags, name));
      const interval = from === undefined && to === undefined ? intervalOf(given) : undefined;
      const request = { interval, from, to, granularity };
      const part = what === 'OFFER' ? offers : groups;
      return shown(await part.series(idOf(given, what), request, { signal }), seriesText);
    },
  };
}

/** A command on one offer, which answers with a message. */
function onOffer(action: 'pause' | 'resume' | 'delete', summary: string): Command {
  return {
    summary,
    positionals: ['OFFER'],
    example: `offer-ads offers ${action} 4711`,
    run: async (ads, given) => {
      const result = await ads.offers[action](offerId(given), { signal: given.signal });
      return shown<{ readonly message: string }>(result, ({ message }) => `${printed(message)}\n`);
    },
  };
}

/** A command on all offers of a group, which says what became of each. */
function onGroup(action: 'pause' | 'resume' | 'delete', summary: string): Command {
  return {
    summary,
    positionals: ['GROUP'],
    example: `offer-ads groups ${action} 17`,
    run: async (ads, given) =>
      shown(await ads.groups[action](groupId(given), { signal: given.signal }), groupChangeText),
  };
}

async function listOffers(ads: OfferAds, { flags, now, signal }: Given): Promise<Shown> {
  const after = optionalText(flags, 'created-after');
  const before = optionalText(flags, 'created-before');
  const request: ListOffersRequest = {
    offer_status: optionalText(flags, 'status') as ListOffersRequest['offer_status'],
    created_after: after === undefined ? undefined : instant(after, 'created-after', now),
    created_before: before === undefined ? undefined : instant(before, 'created-before', now),
  };
  return listed(flags, (page) => ads.offers.list({ ...request, ...page }, { signal }).page(), offersText);
}

export const commands: Readonly<Record<string, Command>> = {
  categories: {
    summary: 'the categories that an offer can have',
    example: 'offer-ads categories',
    run: async (ads, { signal }) =>
      shown(await ads.categories.list({ signal }), ({ categories }) => categoriesText(categories)),
  },
  interests: {
    summary: 'the interests that can be targeted',
    example: 'offer-ads interests --json',
    run: async (ads, { signal }) =>
      shown(await ads.interests.list({ signal }), ({ interests }) => interestsText(interests)),
  },
  balance: {
    summary: 'your prepaid balance',
    example: 'offer-ads balance',
    run: async (ads, { signal }) => shown(await ads.balance.get({ signal }), balanceText),
  },
  results: {
    summary: 'views, clicks and spend of all offers in a period',
    options: {
      interval: { value: 'INTERVAL', help: '24h, 7d, 30d, 60d or 90d; 7d when omitted' },
      ...days,
      'time-zone': { value: 'ZONE', help: 'whose days they are, such as Europe/London; UTC when omitted' },
    },
    example: 'offer-ads results --from 2026-06-01 --to 2026-06-30 --time-zone Europe/London',
    run: async (ads, { flags, signal }) => {
      const [interval, from, to, time_zone] = ['interval', 'from', 'to', 'time-zone'].map((name) =>
        optionalText(flags, name),
      );
      const request = { interval: interval as ResultsRequest['interval'], from, to, time_zone };
      return shown(await ads.results.get(request, { signal }), resultsText);
    },
  },
  estimate: {
    summary: 'the price and reach of an offer',
    options: {
      ...centre,
      ...audience,
      quote: { help: 'hold the price for 5 minutes; prints what `offers create` needs' },
    },
    example: 'offer-ads estimate --at 51.5074,-0.1278 --radius 10 --end +48h',
    run: async (ads, { flags, now, signal }) => {
      const { start, end } = period(flags, now);
      const quote = flags.quote === true ? true : undefined;
      const target = { location: place(flags), ...audienceOf(flags) };
      const request = { ...target, start_datetime: start, end_datetime: end, quote };
      const result = await ads.offers.estimate(request, { signal });
      return shown(result, (estimate) => estimateText(estimate, { start, end }));
    },
  },
  'offers list': {
    summary: 'your offers, newest first',
    options: {
      status: { value: 'STATUS', help: 'awaiting_payment, active, paused or ended' },
      'created-after': { value: 'TIME', help: 'created at or after this time' },
      'created-before': { value: 'TIME', help: 'created at or before this time' },
      ...howMany,
    },
    example: 'offer-ads offers list --status active',
    run: listOffers,
  },
  'offers get': {
    summary: 'one offer, and what can be done with it now',
    positionals: ['OFFER'],
    example: 'offer-ads offers get 4711',
    run: async (ads, given) =>
      shown(await ads.offers.get(offerId(given), { signal: given.signal }), offerText),
  },
  'offers create': {
    summary: 'create an offer; it is paid by card at a link, or from the balance',
    options: {
      ...content,
      ...centre,
      ...audience,
      ...purchase,
      quote: {
        value: 'ID',
        help: 'of `estimate --quote`; with the same place, audience, --start and --end it costs what that says',
      },
    },
    example:
      'offer-ads offers create --category 1 --title "Two for one" --description "The second is on the house." --url https://example.com/two --image two.png --at 51.5074,-0.1278 --radius 10 --end +48h --pay card',
    run: async (ads, given) => {
      const { flags, signal } = given;
      const location = place(flags);
      const { request, idempotencyKey, again } = await orderOf(given);
      const image = await picture(requiredText(flags, 'image'));
      const offer = { ...request, image, location, quote_id: optionalText(flags, 'quote') };
      try {
        const result = await ads.offers.create(offer, { idempotencyKey, signal });
        return shown(result, (created) =>
          createdText(created, { idempotencyKey, replayed: result.ok && result.replayed }),
        );
      } catch (error) {
        throw new Unfinished(error, 'offer', again);
      }
    },
  },
  'offers update': update('OFFER', {
    summary: 'change texts or picture of an offer; what is not named stays',
    example: 'offer-ads offers update 4711 --title "Three for one" --image three.png',
  }),
  'offers pause': onOffer('pause', 'pause an offer; the time counts as unused'),
  'offers resume': onOffer('resume', 'let a paused offer run again'),
  'offers analytics': {
    summary: 'views and clicks of an offer',
    positionals: ['OFFER'],
    options: { interval },
    example: 'offer-ads offers analytics 4711 --interval 30d',
    run: async (ads, given) => {
      const result = await ads.offers.analytics(offerId(given), intervalOf(given), { signal: given.signal });
      return shown(result, analyticsText);
    },
  },
  'offers series': series('OFFER', 'an offer'),
  'offers results': {
    summary: 'what an offer has brought for its price',
    positionals: ['OFFER'],
    example: 'offer-ads offers results 4711',
    run: async (ads, given) =>
      shown(await ads.offers.results(offerId(given), { signal: given.signal }), offerResultsText),
  },
  'offers changes': {
    summary: 'what was changed in an offer, and by whom, newest first',
    positionals: ['OFFER'],
    options: howMany,
    example: 'offer-ads offers changes 4711',
    run: async (ads, given) => {
      const id = offerId(given);
      const { flags, signal } = given;
      return listed(flags, (page) => ads.offers.changes(id, page, { signal }), changesText);
    },
  },
  'offers delete': onOffer('delete', 'delete an offer; its unused time is credited to the balance'),
  'groups estimate': {
    summary: 'the price of an offer at each of several places, and of all',
    options: { ...centres, ...audience },
    example:
      'offer-ads groups estimate --place "51.5136,-0.1365 Soho" --place "51.5055,-0.0754 Borough" --radius 10 --end +48h',
    run: async (ads, { flags, now, signal }) => {
      const { start, end } = period(flags, now);
      const request = {
        places: places(flags),
        ...audienceOf(flags),
        start_datetime: start,
        end_datetime: end,
      };
      return shown(await ads.groups.estimate(request, { signal }), groupEstimateText);
    },
  },
  'groups create': {
    summary: 'create an offer at each of several places, with one payment; all or none',
    options: {
      ...content,
      image: {
        ...content.image,
        multiple: true,
        help: `${content.image.help} in all; one for all places, or repeated: one for each, in their order`,
      },
      ...centres,
      ...audience,
      ...purchase,
    },
    example:
      'offer-ads groups create --category 1 --title "Two for one" --description "The second is on the house." --url https://example.com/two --image two.png --place "51.5136,-0.1365 Soho" --place "51.5055,-0.0754 Borough" --radius 10 --end +48h --pay balance --max-cost 60',
    run: async (ads, given) => {
      const { flags, signal } = given;
      const content = await placesWithPictures(flags);
      const { request, idempotencyKey, again } = await orderOf(given);
      try {
        const result = await ads.groups.create({ ...request, ...content }, { idempotencyKey, signal });
        return shown(result, (created) =>
          createdGroupText(created, { idempotencyKey, replayed: result.ok && result.replayed }),
        );
      } catch (error) {
        throw new Unfinished(error, 'group', again);
      }
    },
  },
  'groups get': {
    summary: 'the offers of a group, with views and clicks',
    positionals: ['GROUP'],
    example: 'offer-ads groups get 17',
    run: async (ads, given) =>
      shown(await ads.groups.get(groupId(given), { signal: given.signal }), groupText),
  },
  'groups series': series('GROUP', 'all offers of a group'),
  'groups update': update('GROUP', {
    summary: 'change texts or picture of all offers of a group; what is not named stays',
    example: 'offer-ads groups update 17 --title "Three for one" --image three.png',
  }),
  'groups pause': onGroup('pause', 'pause all offers of a group'),
  'groups resume': onGroup('resume', 'let all offers of a group run again'),
  'groups delete': onGroup('delete', 'delete all offers of a group; their unused time is credited'),
  ...webhookCommands,
  'clock show': {
    summary: 'the time of your TEST offers',
    example: 'offer-ads clock show',
    run: async (ads, { signal }) => shown(await ads.testClock.get({ signal }), testClockText),
  },
  'clock advance': {
    summary: 'move the time of your TEST offers forward',
    positionals: ['TIME'],
    example: 'offer-ads clock advance +7d',
    run: async (ads, { positionals, now, signal }) => {
      const time = positionals[0] ?? '';
      const instantWanted = instant(time, 'TIME', now);
      const request = time.startsWith('+')
        ? { advance_seconds: (Date.parse(instantWanted) - now.getTime()) / 1_000 }
        : { now: instantWanted };
      return shown(await ads.testClock.advance(request, { signal }), testClockText);
    },
  },
  'clock reset': {
    summary: 'set the time of your TEST offers back to the real time',
    example: 'offer-ads clock reset',
    run: async (ads, { signal }) => shown(await ads.testClock.reset({ signal }), testClockText),
  },
};
