/** The portal API's own calls about offers, and the listing, which contains more than in the public API. */
import { z } from 'zod';
import { advanceRequest, refusal, testClockReply } from '../public/api.ts';
import { createGroupForm } from '../public/groups-api.ts';
import { reply } from '../public/reply-headers.ts';
import { idempotencyKey } from '../values/idempotency-key.ts';
import { MAX_OFFERS_AT_ONCE } from '../values/offers-list.ts';
import { groupId, offerId } from '../values/primitives.ts';
import * as offers from './offers-api.ts';
import { csvFile, pathsOf, refused, section } from './operations.ts';

const mode = z.enum(['test', 'live']);
const offerPath = z.object({ mode, offer_id: offerId });
const unknown = { '404': refused('The organisation has no such offer in this mode.') };

const viewing = section('Offers', 'Viewer, Marketer, Admin');
const changing = section('Offers', 'Marketer, Admin');
const analytics = section('Analytics', 'Viewer, Marketer, Admin');
const viewingTests = section('Testing', 'Viewer, Marketer, Admin');
const changingTests = section('Testing', 'Marketer, Admin');

const bulk = (id: string, summary: string) =>
  changing.change({
    id,
    summary,
    description: `At most ${MAX_OFFERS_AT_ONCE}, each by itself as for a single offer: some can be refused while others are done.`,
    parameters: { path: z.object({ mode }) },
    body: offers.bulkRequest,
    replies: { '200': reply('What became of each.', offers.bulkReply) },
  });

const seriesOf = (path: z.ZodObject) => ({ path, query: offers.seriesQuery });
const seriesRefusals = { '400': refused('The interval or the time zone is invalid.'), ...unknown };
const series = (id: string, of: string, path: z.ZodObject) =>
  analytics.read({
    id,
    summary: `Views and clicks of ${of} over time, for charts`,
    description: 'Oldest first, without gaps. Deleted offers count too.',
    parameters: seriesOf(path),
    replies: { '200': reply('The points.', offers.seriesReply), ...seriesRefusals },
  });
const seriesFile = (id: string, of: string, path: z.ZodObject) =>
  analytics.read({
    id,
    summary: `Views and clicks of ${of} over time, as a CSV file`,
    description: 'The points of the series, oldest first, in UTF-8 with a byte order mark.',
    parameters: seriesOf(path),
    replies: { '200': csvFile('The points.'), ...seriesRefusals },
  });
const groupPath = z.object({ mode, group_id: groupId });
const ofGroup = ['all offers of a group', groupPath] as const;

export const portalOfferPaths = pathsOf({
  'GET /{mode}/offers': viewing.read({
    id: 'listOffers',
    summary: 'List and search offers, with their figures',
    description:
      'As in the public API, with prices, views, clicks and spend, filters for Scheduled and deleted offers, a search and sorts.',
    parameters: { path: z.object({ mode }), query: offers.portalListQuery },
    replies: {
      '200': reply('A page of offers.', offers.portalListReply),
      '400': reply('`E1` invalid parameter.', refusal),
    },
  }),
  'GET /{mode}/offers.csv': viewing.read({
    id: 'exportOffers',
    summary: 'The list as a CSV file',
    description: `Newest first, in UTF-8 with a byte order mark. At most ${offers.MAX_CSV_ROWS.toLocaleString('en-GB')} offers: choose a shorter time of creation where there are more.`,
    parameters: { path: z.object({ mode }), query: offers.offersCsvQuery },
    replies: {
      '200': csvFile('The offers.'),
      '400': refused('A parameter is invalid, or there are too many offers; the message says which.'),
    },
  }),
  'GET /{mode}/results': analytics.read({
    id: 'readResults',
    summary: 'What runs now, and views, clicks and spend of the last days',
    description:
      'Sums over all offers of the organisation, deleted ones too, beside those of the days before.',
    parameters: { path: z.object({ mode }), query: offers.resultsQuery },
    replies: {
      '200': reply('The results.', offers.resultsReply),
      '400': refused('A parameter is invalid; the message names it.'),
    },
  }),
  'GET /link-tags': analytics.read({
    id: 'readLinkTags',
    summary: 'Whether clicks on offers get UTM tags, and which',
    description: 'Of the organisation, for both modes.',
    replies: { '200': reply('The setting.', offers.linkTagsSetting) },
  }),
  'PUT /link-tags': section('Analytics', 'Admin').change({
    id: 'setLinkTags',
    summary: 'Switch UTM tags on and off',
    description:
      'A click leads to the address of the offer with `utm_source`, `utm_medium` and `utm_campaign`, which is the number of the offer and its title. An address with a UTM tag of its own stays as it is. It holds for all offers of the organisation at once.',
    body: offers.linkTagsSetting,
    replies: { '200': reply('The setting.', offers.linkTagsSetting) },
  }),
  'POST /{mode}/offers/pause': bulk('pauseOffers', 'Pause many offers'),
  'POST /{mode}/offers/resume': bulk('resumeOffers', 'Resume many offers'),
  'GET /{mode}/creations/{idempotency_key}': viewing.read({
    id: 'readCreation',
    summary: 'The outcome of the creation of an offer whose reply was lost',
    description: 'Ask with the `Idempotency-Key` of the creation. Changes nothing.',
    parameters: { path: z.object({ mode, idempotency_key: idempotencyKey }) },
    replies: { '200': reply('How far it came.', offers.creationReply) },
  }),
  'GET /{mode}/offers/{offer_id}': viewing.read({
    id: 'readOffer',
    summary: 'One offer, with its price',
    description:
      'Also one that was deleted, with its final facts. An offer of another organisation or of the other mode is treated as not found.',
    parameters: { path: offerPath },
    replies: { '200': reply('The offer.', offers.portalOffer), ...unknown },
  }),
  'GET /{mode}/offer-groups/{group_id}': section('Offer groups', 'Viewer, Marketer, Admin').read({
    id: 'readGroup',
    summary: 'An offer group, with its offers and their figures',
    description: 'Also when its offers were deleted.',
    parameters: { path: groupPath },
    replies: {
      '200': reply('The group.', offers.portalGroup),
      '404': refused('The organisation has no such group in this mode.'),
    },
  }),
  'POST /{mode}/offer-groups/check': {
    ...section('Offer groups', 'Marketer, Admin').change({
      id: 'checkGroup',
      summary: 'Check the form of an offer group and price each of its offers',
      description:
        'The form is that of `POST /offer-groups`, and so are the rules and their refusals, apart from those of the payment. Nothing is bought. With the `quote_id` of each offer in its place, a creation costs what is said here.',
      parameters: { path: z.object({ mode }) },
      replies: {
        '200': reply(
          'The prices; or `E2` image failed moderation.',
          z.union([offers.groupCheckReply, refusal]),
        ),
        '400': reply('The message names each fault and its place.', refusal),
      },
    }),
    requestBody: { required: true, content: { 'multipart/form-data': { schema: createGroupForm } } },
  },
  'GET /{mode}/offers/{offer_id}/credit': viewing.read({
    id: 'readCreditOfDeletion',
    summary: 'What a deletion at this moment would credit to the balance',
    description: 'Changes nothing. The credit of an Active offer decreases every second.',
    parameters: { path: offerPath },
    replies: { '200': reply('The credit.', offers.offerCreditReply), ...unknown },
  }),
  'POST /{mode}/offers/{offer_id}/review-request': changing.change({
    id: 'requestReview',
    summary: 'Ask the platform team to look again at an offer that it has disabled',
    description: 'An edit of a disabled offer asks for it too. While the offer waits, nothing changes.',
    parameters: { path: offerPath },
    replies: {
      '200': reply('The offer, which waits.', offers.portalOffer),
      ...unknown,
      '409': refused('The offer is not disabled, or has ended.'),
    },
  }),
  'GET /{mode}/offers/{offer_id}/changes': viewing.read({
    id: 'listChangesOfOffer',
    summary: 'Who changed an offer and when, newest first',
    description: 'Also of an offer that was deleted.',
    parameters: { path: offerPath, query: offers.changesQuery },
    replies: {
      '200': reply('A page of changes.', offers.changesReply),
      '400': refused('A parameter is invalid; the message names it.'),
      ...unknown,
    },
  }),
  'GET /{mode}/offers/{offer_id}/analytics/series': series('readAnalyticsSeries', 'an offer', offerPath),
  'GET /{mode}/offers/{offer_id}/analytics.csv': seriesFile('exportAnalytics', 'an offer', offerPath),
  'GET /{mode}/offer-groups/{group_id}/analytics/series': series('readGroupSeries', ...ofGroup),
  'GET /{mode}/offer-groups/{group_id}/analytics.csv': seriesFile('exportGroupAnalytics', ...ofGroup),
  'POST /test/offers/{offer_id}/simulated-traffic': changingTests.change({
    id: 'simulateTraffic',
    summary: 'Simulate views and clicks of an Active offer, in TEST mode',
    description: 'They count from now, like views and clicks of members. Not available in LIVE mode.',
    parameters: { path: z.object({ offer_id: offerId }) },
    body: offers.simulatedTraffic,
    replies: {
      '200': reply("The offer's total views and clicks.", offers.simulatedTrafficReply),
      ...unknown,
      '409': refused('The offer is not shown to members at present; the message says why.'),
    },
  }),
  'GET /test/clock': viewingTests.read({
    id: 'readTestClock',
    summary: 'The time of the TEST offers',
    description: 'As in the public API. Not available in LIVE mode.',
    parameters: {},
    replies: { '200': reply('The clock.', testClockReply) },
  }),
  'POST /test/clock': changingTests.change({
    id: 'advanceTestClock',
    summary: 'Move the time of the TEST offers forward',
    description: 'As in the public API. Not available in LIVE mode.',
    parameters: {},
    body: advanceRequest,
    replies: {
      '200': reply('The clock after the advance.', testClockReply),
      '400': reply('`E1` the body is invalid, or the clock cannot move there.', refusal),
    },
  }),
  'DELETE /test/clock': changingTests.change({
    id: 'resetTestClock',
    summary: 'Set the time of the TEST offers back to the real time',
    description: 'As in the public API. Not available in LIVE mode.',
    parameters: {},
    replies: {
      '200': reply('The clock.', testClockReply),
      '409': reply('`E2` TEST offers have neither ended nor been deleted.', refusal),
    },
  }),
});
