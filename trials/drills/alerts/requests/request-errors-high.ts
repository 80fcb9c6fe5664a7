import { type Drill, elsewhere } from '../../drill.ts';

/** Offers loses its database, so all its requests are answered 503. */
export const requestErrorsHigh: Drill = {
  alert: 'RequestErrorsHigh',
  severity: 'page',
  cause: async ({ links, repeat, call }) => {
    links.offersDatabase.takeDown();
    repeat(100, () => call('/categories'));
  },
  mend: [
    elsewhere('the database of offers can be reached again', async ({ links }) =>
      links.offersDatabase.bringBack(),
    ),
  ],
};
