/** Lists offers: one page as a typed result, or all by iterating. */
import { invalidArgument } from './error.ts';
import { type ResultOf, unwrap } from './result.ts';
import type { ListOffersRequest, Offer, OfferPage } from './types.ts';

export type OfferList = AsyncIterable<Offer> & {
  /** One page as a result; refusals are values. */
  readonly page: () => Promise<ResultOf<'listOffers'>>;
  /** @throws OfferAdsError of kind `refused` when the service refuses the request */
  readonly pages: () => AsyncGenerator<OfferPage, void, undefined>;
};

/** Requests are sent only when needed: the next page only after the previous one is used up. */
export function offerList(
  request: ListOffersRequest,
  readPage: (request: ListOffersRequest) => Promise<ResultOf<'listOffers'>>,
): OfferList {
  async function* pages(): AsyncGenerator<OfferPage, void, undefined> {
    let cursor = request.cursor;
    for (;;) {
      const page = unwrap(await readPage({ ...request, cursor }));
      yield page;
      const { has_more, next_cursor } = page.pagination;
      if (!has_more || next_cursor === null) return;
      if (next_cursor === cursor) throw invalidArgument('the list does not advance');
      cursor = next_cursor;
    }
  }
  async function* offers(): AsyncGenerator<Offer, void, undefined> {
    for await (const page of pages()) yield* page.data;
  }
  return { page: () => readPage(request), pages, [Symbol.asyncIterator]: offers };
}
