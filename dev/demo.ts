/**
 * `npm run demo`: an organisation buys two offers from the running system, one from its balance and one by card, and
 * checks every step. Ends with status 1 at the first failed check.
 */
import { parseArgs } from 'node:util';
import { reasonOf } from '@offer-ads/backing/find';
import { formatMinor, parseAmount } from '@offer-ads/contracts/values/currencies';
import { photographLikeJpeg } from '@offer-ads/testing/pictures/pictures';
import { readCommandLine } from './command-line.ts';
import { type Advertiser, createAdvertiser, type OfferForm, offerUrl, place } from './demo/advertiser.ts';
import { must, mustEqual, NotTrue, say, scene } from './demo/checks.ts';
import { createCommunity } from './demo/community.ts';
import { clickPay, openPaymentLink } from './demo/payer.ts';
import { type DemoSystem, findSystem } from './demo/system.ts';
import { eventually, watchBalance } from './demo/watching.ts';
import { createAdminClient } from './demo-data/admin-client.ts';

const hourMs = 60 * 60 * 1000;
const usage = `npm run demo -- [--containers]
  --containers   uses a system in containers (docker-compose.yml, k8s/README.md) instead of that of npm start`;

const { containers } = readCommandLine(
  usage,
  (args) => parseArgs({ args, options: { containers: { type: 'boolean', default: false } } }).values,
);
try {
  await demo(await findSystem(containers));
} catch (error) {
  console.error(`\n${error instanceof NotTrue ? 'CHECK FAILED: ' : ''}${reasonOf(error)}`);
  process.exitCode = 1;
}

async function demo(system: DemoSystem): Promise<void> {
  const organisation = system.organisations.find(({ country }) => country === 'GB');
  must(organisation !== undefined, 'there is an organisation in the United Kingdom');
  const { currency } = organisation;
  const admin = createAdminClient(system.admin);
  const balance = watchBalance(admin, { organisationId: organisation.id, currency });
  const advertiser = createAdvertiser(system.gateway, organisation.keys.TEST);
  const money = (minor: bigint) => `${formatMinor(minor, currency)} ${currency}`;
  const run = Date.now().toString(36).slice(-5);

  scene('What there is');
  const [categories, interests] = [await advertiser.categories(), await advertiser.interests()];
  say(
    `${organisation.name}, ${organisation.country}, bills in ${currency}; balance ${money(await balance())}`,
  );
  say(
    `${categories.length} categories, from ${categories[0]?.category_name} to ${categories.at(-1)?.category_name}`,
  );
  say(
    `${interests.length} interests, from ${interests[0]?.interest_name} to ${interests.at(-1)?.interest_name}`,
  );
  const picture = await photographLikeJpeg({ width: 1080, height: 1080 });
  say(`a photograph of 1080 x 1080 pixels, ${Math.round(picture.length / 1024)} KB`);
  const basics = {
    categoryId: categories[0]?.category_id ?? 0,
    interestIds: interests.slice(0, 3).map(({ interest_id: id }) => id),
    image: picture,
  };

  scene('From the balance: an offer that runs at once');
  const toEverybody = { ...basics, interestIds: [] };
  await fromBalance({ ...toEverybody, title: `Two for one ${run}`, ...period(0, 48), paymentMethod: 'B' });

  scene('By card: an offer for tomorrow');
  await byCard({ ...basics, title: `Sunday brunch ${run}`, ...period(24, 72), paymentMethod: 'E' });

  scene('The books');
  const ledger = await admin<{ ok: boolean; transactions: number }>('BILLING', 'GET', '/admin/ledger/check');
  must(ledger.ok, 'the ledger balances');
  say(`the ledger's ${ledger.transactions} transactions sum to zero, every one of them`);

  scene("On the community's page");
  await onCommunityPage({ ...toEverybody, title: `Matinee ${run}`, ...period(0, 2), paymentMethod: 'B' });
  console.log('\nAll checks passed.');

  async function fromBalance(offer: OfferForm): Promise<void> {
    const before = await balance();
    const cost = await estimate(advertiser, offer);
    const sentAt = Date.now();
    const created = await advertiser.createTwice(offer);
    mustEqual(created.status, 'Active', 'an offer that starts now and is paid');
    say(`POST /offers, sent twice with one key: offer ${created.offer_id} once, ${created.status}`);
    const charged = await balance();
    mustEqual(charged, before - cost, 'the balance after the purchase');
    say(`balance ${money(before)} - ${money(cost)} = ${money(charged)}`);
    await show(created.offer_id, offer);
    await pauseAndResume(created.offer_id, 'Active');
    await remove(created.offer_id);
    const credited = await eventually('a credit after the deletion', async () => {
      const now = await balance();
      return now > charged ? now : undefined;
    });
    // Unused Time is the scheduled time minus the seconds in which it ran (price rule 7): at most those since the request.
    const ranMs = BigInt(Date.now() - sentAt);
    const periodMs = BigInt(offer.expiryAt.getTime() - offer.startAt.getTime());
    const least = cost - (cost * ranMs) / periodMs - 1n;
    must(
      credited - charged <= cost && credited - charged >= least,
      `a credit from ${money(least)} to ${money(cost)}`,
    );
    say(`Unused Time credited: ${money(credited - charged)} of ${money(cost)}; balance ${money(credited)}`);
  }

  /** A member in the middle of the circle sees the offer and clicks it. The offer stays, so that people can look at it too. */
  async function onCommunityPage(offer: OfferForm): Promise<void> {
    await estimate(advertiser, offer);
    const { offer_id: offerId, status } = await advertiser.createTwice(offer);
    mustEqual(status, 'Active', 'an offer that starts now and is paid');
    const community = createCommunity(system.gateway, system.placementKeys.TEST);
    const placement = await eventually('the offer on the page of a member', () =>
      community.placementOf(offerId),
    );
    say(`POST /placements: a member there sees "${placement.title}" of ${placement.advertised_name}`);
    await community.view(placement);
    const target = await community.click(placement);
    mustEqual(target, offerUrl, 'where a click leads');
    const { metrics } = await advertiser.analytics(offerId);
    mustEqual(metrics.views, 1, 'the views');
    mustEqual(metrics.clicks, 1, 'the clicks');
    say(
      `seen and clicked: ${metrics.views} view and ${metrics.clicks} click in analytics, and the click led to ${target}`,
    );
    if (system.community !== undefined)
      say(`it is there for two hours: see it at ${system.community}, the sample community page`);
  }

  async function byCard(offer: OfferForm): Promise<void> {
    const before = await balance();
    const cost = await estimate(advertiser, offer);
    const created = await advertiser.createTwice(offer);
    must(created.status === 'Awaiting Payment', `a card offer awaits its payment (${created.status})`);
    say(`POST /offers, sent twice with one key: offer ${created.offer_id} once, ${created.status}`);
    say(`payment link ${created.payment_url}`);
    await show(created.offer_id, offer, 'Awaiting Payment');
    const refused = await advertiser.refusedPause(created.offer_id);
    mustEqual(refused.code, 'E5', 'pausing an unpaid offer');
    say(`pause: ${refused.code}, ${refused.message}`);

    const page = await openPaymentLink(created.payment_url);
    const vat = (cost * 20n + 50n) / 100n; // decision 13, VAT: half up
    say(`the link leads to: ${page.text}`);
    for (const amount of [cost, vat, cost + vat]) {
      must(page.text.includes(money(amount)), `the payment page shows ${money(amount)}`);
    }
    const landed = await clickPay(page);
    say(`Pay clicked: ${landed.text}`);
    await eventually('the webhook makes the offer Scheduled', async () =>
      (await advertiser.listed(created.offer_id))?.offer_status === 'Scheduled' ? true : undefined,
    );
    say('the webhook has come: Scheduled');
    const again = await openPaymentLink(created.payment_url);
    say(`the link now says: ${again.text}`);
    await pauseAndResume(created.offer_id, 'Scheduled');

    mustEqual(await balance(), before, 'a card payment leaves the balance alone');
    await remove(created.offer_id);
    const credited = await eventually('the full net price as credit', async () => {
      const now = await balance();
      return now === before + cost ? now : undefined;
    });
    say(
      `deleted before its start, so credited in full, net of VAT: ${money(before)} + ${money(cost)} = ${money(credited)}`,
    );
  }

  async function estimate(advertiser: Advertiser, offer: OfferForm): Promise<bigint> {
    const asked = await advertiser.estimate(offer);
    must(asked.estimated_cost !== null, 'the currency can be billed');
    const hours = (offer.expiryAt.getTime() - offer.startAt.getTime()) / hourMs;
    mustEqual(asked.ad_units, hours * asked.matching_users, 'Ad Units are hours x matching users');
    const cost = parseAmount(asked.estimated_cost.toFixed(2), currency);
    must(cost !== undefined && cost > 0n, 'there is a price');
    const whom = offer.interestIds.length === 0 ? '' : ' who shares one of three interests';
    say(
      `"${offer.title}": ${hours} hours, everybody within ${place.radiusMiles} miles of central London${whom}`,
    );
    say(
      `${asked.matching_users} members x ${hours} h = ${asked.ad_units} Ad Units x ${asked.ad_unit_price} = ${money(cost)}`,
    );
    return cost;
  }

  async function show(offerId: number, offer: OfferForm, status = 'Active'): Promise<void> {
    const listed = await advertiser.listed(offerId);
    mustEqual(listed?.offer_status, status, 'the listing shows it');
    mustEqual(listed?.title, offer.title, 'the title is as created');
    mustEqual(
      listed?.expiry_datetime && Date.parse(listed.expiry_datetime),
      offer.expiryAt.getTime(),
      'its expiry',
    );
    const image = await fetch(listed?.image ?? '');
    const bytes = (await image.arrayBuffer()).byteLength;
    must(image.ok && bytes > 1000, `its picture can be fetched (${image.status})`);
    say(
      `GET /offers: "${listed?.title}", ${listed?.category}, ${status}, its picture of ${Math.round(bytes / 1024)} KB`,
    );
  }

  async function pauseAndResume(offerId: number, running: string): Promise<void> {
    const paused = await advertiser.pause(offerId);
    mustEqual((await advertiser.listed(offerId))?.offer_status, 'Paused', 'a paused offer');
    const resumed = await advertiser.resume(offerId);
    mustEqual((await advertiser.listed(offerId))?.offer_status, running, 'a resumed offer');
    say(
      `${paused.return_code} ${paused.message}. ${resumed.return_code} ${resumed.message}, ${running} again.`,
    );
  }

  async function remove(offerId: number): Promise<void> {
    const deleted = await advertiser.delete(offerId);
    mustEqual(await advertiser.listed(offerId), undefined, 'a deleted offer in the listing');
    say(`${deleted.return_code} ${deleted.message}, and is not listed any more.`);
  }
}

function period(fromHours: number, toHours: number): { startAt: Date; expiryAt: Date } {
  const now = Date.now();
  return { startAt: new Date(now + fromHours * hourMs), expiryAt: new Date(now + toHours * hourMs) };
}
