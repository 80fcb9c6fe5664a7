import { type Drill, elsewhere } from '../../drill.ts';

/** Offers loses its database: all that asks it is 503. */
export const requestErrorsHigh: Drill = {
  alert: 'RequestErrorsHigh',
  severity: 'page',
  cause: async ({ wires, keepDoing, call }) => {
    wires.offersDatabase.takeDown();
    keepDoing(100, () => call('/categories'));
  },
  mend: [
    elsewhere('the database of offers can be reached again', async ({ wires }) =>
      wires.offersDatabase.bringBack(),
    ),
  ],
};
