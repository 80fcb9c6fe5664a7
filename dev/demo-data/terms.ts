/** The advertising terms of the demo: short, with examples of Markdown. */
export const demoTerms = {
  version: '2026-11',
  text: `# Advertising terms

*Of a demo: they bind nobody.*

## 1. What you may advertise

You may advertise what you may sell, to adults, in words and pictures that are yours to use. Members see the name of your business; when
it is another business's name, you have its permission.

## 2. What it costs

You pay the price that is shown when you create an offer: by card, or out of your balance. Prices are net of VAT.

| What happens | What you get back |
|---|---|
| You delete an offer before it starts | all of it |
| You delete or pause a running offer | the part for the time in which it did not run |
| An offer ends as planned | nothing |

What comes back goes to your balance, not to a card.

## 3. What we look at

- Pictures are checked before an offer is created.
- We may disable an offer that breaks these terms; the time in which it did not run comes back to you.

## 4. Changes

We publish new versions here. Offers that run go on; for new ones an admin accepts the latest version first.
`,
} as const;
