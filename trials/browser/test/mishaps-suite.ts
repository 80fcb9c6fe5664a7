/** What a marketer sees when an offer is refused, and when an answer is lost. */
import { expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Page } from 'playwright-core';
import { choosePicture, create, useTestPicture, writeOffer } from './offer-form.ts';
import { faultsOf, type Portal } from './portal-under-test.ts';

export function walksOfMishaps(portal: () => Portal): void {
  it.concurrent('a refused offer moves the focus to the reason, and is created once mended', async () => {
    await using visitor = await portal().admin({ terms: false, balance: '0' });
    const { system, page, go, id } = visitor;
    const quota = (most: number) =>
      system.admin('org', 'quota', `--org=${id}`, '--mode=test', `--per-org=${most}`);
    await quota(0);
    await go('/portal/test/offers/new');
    await writeOffer(page, 'Two for one');

    await create(page);
    await saidAtTheFocus(page, 'has not accepted the current advertising terms');
    await page.getByRole('link', { name: 'Read the terms' }).click();
    await page.getByLabel('I have read the terms').check();
    await page.getByRole('button', { name: /^Accept version/ }).click();
    await page.getByText('The terms are accepted.').waitFor();
    await page.goBack();

    // The page has kept everything, the picture too.
    await page.locator('.estimate strong').waitFor();
    await create(page);
    await saidAtTheFocus(page, 'Offer quota exceeded');
    await quota(5);
    await useTestPicture(page, 'Use one that is always refused');
    await page.getByText('always-refused.jpg').waitFor();
    await create(page);
    await page.getByText('The image failed moderation').waitFor();
    await eventually(async () =>
      expect(await focused(page)).toEqual({
        field: 'Picture',
        says: expect.stringContaining('moderation'),
      }),
    );
    await choosePicture(page);
    expect(await page.getByLabel('Title').inputValue()).toBe('Two for one');
    await create(page);
    await page.getByRole('heading', { name: 'One step left: pay' }).waitFor();
  });

  it.concurrent('an offer above the spending limit of the role is refused, and the page says what is left', async () => {
    await using visitor = await portal().admin();
    const { page, go } = visitor;
    await go('/portal/test/people');
    const ofAdmins = page.getByRole('form', { name: 'Spending limits of each Admin' });
    await ofAdmins.getByLabel('Spending limit for a day').fill('0.02');
    await ofAdmins.getByRole('button', { name: 'Save' }).click();
    await ofAdmins.getByText('Saved.').waitFor();
    expect(await faultsOf(page, 'people-spending-limits')).toEqual([]);
    await page.reload();
    await ofAdmins.waitFor();
    expect(await ofAdmins.getByLabel('Spending limit for a day').inputValue()).toBe('0.02');

    await go('/portal/test/offers/new');
    await writeOffer(page, 'Two for one');
    await page.getByLabel('From the TEST balance').check();
    await create(page);
    await saidAtTheFocus(page, '0.02 GBP is left. Nothing was created.');
  });

  it.concurrent('an offer in a currency that is not billed is refused: nothing was charged', async () => {
    await using visitor = await portal().admin({ country: 'JP', currency: 'JPY', balance: '0' });
    const { page, go } = visitor;
    await go('/portal/test/offers/new');
    await writeOffer(page, 'Two for one');
    await page.getByText('JPY cannot be billed at the moment').waitFor();
    await create(page);
    const words = 'JPY cannot be billed at present. You were not charged.';
    await page.getByRole('alert').getByText(words).waitFor();
    await eventually(async () => expect((await focused(page)).says).toContain(words));
    await go('/portal/test/money');
    await page.getByText('Nothing can be billed in JPY at the moment').waitFor();
    expect(await page.getByLabel('Amount in JPY').count()).toBe(0);
  });

  it.concurrent('an offer that has become dearer is created only once its new price was shown', async () => {
    await using visitor = await portal().admin();
    const { system, page, go, id } = visitor;
    // As if members had joined when the quote is asked for: until then, what the page shows is cheaper than the offer is.
    let haveJoined = false;
    await page.route(/\/portal\/api\/test\/offers\/price-estimate$/, async (route) => {
      const answer = await route.fetch();
      const { quote } = route.request().postDataJSON() as { quote?: boolean };
      haveJoined ||= quote === true;
      const body = (await answer.json()) as object;
      await route.fulfill({ response: answer, json: haveJoined ? body : { ...body, estimated_cost: 0.31 } });
    });
    await go('/portal/test/offers/new');
    await writeOffer(page, 'Two for one');
    await page.locator('.estimate').getByText('GBP 0.31').waitFor();
    await page.getByLabel('From the TEST balance').check();
    await create(page);
    await saidAtTheFocus(page, 'The price is now GBP');
    expect(Number(await system.balance(id))).toBe(1000);
    const shown = await eventually(async () => {
      const figure = await page.locator('.estimate .figure').innerText();
      const price = Number(figure.replace(/[^\d.]/g, ''));
      expect(price).toBeGreaterThan(0.31);
      return price;
    });

    await create(page);
    await page.getByRole('heading', { name: 'The offer is created' }).waitFor();
    // A slow creation is credited for the seconds in which the offer did not run.
    expect(1000 - Number(await system.balance(id))).toBeCloseTo(shown, 1);
  });

  it.concurrent('a lost answer to a new offer costs no second one, repeated or reloaded', async () => {
    await using visitor = await portal().admin();
    const { system, page, go, id } = visitor;
    await go('/portal/test/offers/new');
    await writeOffer(page, 'Asked again');
    await page.getByLabel('From the TEST balance').check();
    const sending = await losingAnswers(page, /\/portal\/api\/test\/offers$/);
    await create(page);
    await page.getByText('The answer was lost on the way').waitFor();
    await sending.mend();
    await page.getByRole('heading', { name: 'The offer is created' }).waitFor();
    expect(sending.answers[0]).toBe(200);
    const charged = await system.balance(id);
    expect(Number(charged)).toBeLessThan(1000);

    await page.getByRole('button', { name: 'Create another offer' }).click();
    await writeOffer(page, 'Reloaded');
    const again = await losingAnswers(page, /\/portal\/api\/test\/offers$/);
    await create(page);
    await page.getByText('The answer was lost on the way').waitFor();
    // Answers are lost until here, because the page itself repeats its request each few seconds.
    await go('/portal/test/offers');
    await page.getByText('but no answer came').waitFor();
    await page.getByRole('link', { name: 'Find out whether it was created' }).click();
    await page.getByText('It was created, but the answer did not arrive').waitFor();
    expect(again.answers[0]).toBe(200);
    await again.mend();
    await page.getByRole('link', { name: 'Go to the offer' }).click();
    await page.getByRole('heading', { name: 'Reloaded' }).waitFor();
    await page.getByRole('link', { name: 'All offers' }).click();
    await page.getByRole('link', { name: 'Asked again', exact: true }).waitFor();
    expect(await page.locator('.offer-row th a').allInnerTexts()).toEqual(['Reloaded', 'Asked again']);
    expect(await system.balance(id)).toBe(charged);
  });

  it.concurrent('a new offer whose request was lost is sent again after a reload', async () => {
    await using visitor = await portal().admin();
    const { page, go } = visitor;
    await go('/portal/test/offers/new');
    await writeOffer(page, 'Never arrived');
    await page.route(/\/portal\/api\/test\/offers$/, (route) =>
      route.request().method() === 'POST' ? route.abort() : route.fallback(),
    );
    await create(page);
    await page.getByText('The answer was lost on the way').waitFor();
    await page.reload();
    await page.getByText('It was not created, and nothing was charged').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    expect(await page.getByLabel('Title').inputValue()).toBe('Never arrived');
    await choosePicture(page);
    await page.locator('.estimate strong').waitFor();
    await create(page);
    await page.getByRole('heading', { name: 'One step left: pay' }).waitFor();
  });

  it.concurrent('what could not be loaded is asked for again, and a failed refresh leaves the page as it is', async () => {
    await using visitor = await portal().admin();
    const { page, go } = visitor;
    await go('/portal/test/offers/new');
    await page.route(/assets\/(place-lists|town-list|postcode-list)/, (route) => route.abort());
    const field = page.getByLabel('Find a place');
    await field.fill('Leeds');
    await page.getByText('The list of places could not be loaded.').waitFor();
    expect(await faultsOf(page, 'places-not-loaded')).toEqual([]);
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Try again' }).click();
    await field.focus();
    await page.locator('.suggestions li').first().waitFor();
    // Enter comes before the places of the new text: those of the text before are still shown.
    await field.pressSequentially('Manchester england');
    await field.press('Enter');
    await page.getByText('miles around Manchester').waitFor();

    await writeOffer(page, 'Two for one');
    await create(page);
    await page.getByRole('link', { name: 'Go to the offer' }).click();
    await page.getByRole('button', { name: 'Delete Two for one' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It has not been paid for').waitFor();
    const refresh = /\/portal\/api\/test\/offers\/\d+$/;
    await page.route(refresh, (route) => route.abort());
    // The request, its repeat, and the next one: by then the page knows of the failure.
    for (let failed = 0; failed < 3; failed++)
      await page.waitForEvent('requestfailed', (request) => refresh.test(request.url()));
    expect(await dialog.isVisible()).toBe(true);
  });

  it.concurrent('play money is added once, and a reload finds out, when its answer is lost', async () => {
    await using visitor = await portal().admin({ balance: '0' });
    const { system, page, go, id } = visitor;
    await go('/portal/test/money');
    const sending = await losingAnswers(page, /\/play-money$/);
    await page.getByLabel('Play money in GBP').fill('50');
    await page.getByRole('button', { name: 'Add play money' }).click();
    await page.getByRole('alert').getByText('You asked for GBP 50.00 of play money').waitFor();
    await sending.mend();
    expect(sending.answers).toEqual([200]);
    await page.reload();
    await page.getByRole('button', { name: 'Find out' }).click();
    await page.getByText('GBP 50.00 of play money was added').waitFor();
    await page.locator('.balance').getByText('GBP 50.00').waitFor();
    expect(await system.balance(id)).toBe('50.00');

    await page.getByRole('button', { name: 'Add play money' }).click();
    await page.getByText('GBP 1,000.00 of play money was added').waitFor();
    expect(await system.balance(id)).toBe('1050.00');
  });
}

/** The focus is on the message, so that a screen reader reads it. */
async function saidAtTheFocus(page: Page, words: string): Promise<void> {
  await page.getByRole('alert').getByText(words).waitFor();
  // The focus moves a moment after the message is shown.
  await eventually(async () => expect((await focused(page)).says).toContain(words));
  expect(await page.getByLabel('Title').inputValue()).toBe('Two for one');
}

/** The focused element: the label of its field, and what a screen reader reads there. */
async function focused(page: Page): Promise<{ field: string | null; says: string }> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLInputElement;
    const describedBy = (element.getAttribute('aria-describedby') ?? '').split(' ');
    const words = describedBy.map((id) => document.getElementById(id)?.innerText ?? '');
    return { field: element.labels?.[0]?.innerText ?? null, says: `${words.join(' ')} ${element.innerText}` };
  });
}

/** From now on the service handles the requests, but its answers never arrive. */
async function losingAnswers(page: Page, path: RegExp) {
  const answers: number[] = [];
  await page.route(path, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    answers.push((await route.fetch()).status());
    // The page may be closed by now.
    await route.abort().catch(() => {});
  });
  return { answers, mend: () => page.unrouteAll({ behavior: 'wait' }) };
}
