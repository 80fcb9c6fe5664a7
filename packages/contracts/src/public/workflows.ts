/** The calls of a purchase in their order, as Arazzo (https://spec.openapis.org/arazzo/latest.html) describes workflows for programs. */

const succeeded = [{ condition: '$statusCode == 200' }, { condition: "$response.body#/return_code == 'S1'" }];
/** Of the form of a creation, besides how it is paid. */
const offer = Object.fromEntries(
  [
    'category_id',
    'title',
    'description',
    'url',
    'image',
    'radius',
    'start_datetime',
    'expiry_datetime',
    'environment',
  ].map((name) => [name, `$inputs.${name}`]),
);
const creation = (payment: object) => ({
  operationId: 'createOffer',
  parameters: [{ name: 'Idempotency-Key', in: 'header', value: '$inputs.idempotency_key' }],
  requestBody: {
    contentType: 'multipart/form-data',
    payload: { ...offer, 'location[]': '$inputs.location', ...payment },
  },
  successCriteria: succeeded,
});
const common = {
  inputs: { $ref: '#/components/inputs/offer' },
  parameters: [{ reference: '$components.parameters.apiKey' }],
};

export const purchaseWorkflows = {
  arazzo: '1.0.1',
  info: {
    title: 'Buying an offer',
    summary: 'Estimate a price, hold it, create the offer, pay, and see that it is paid.',
    version: '1.0.0',
  },
  sourceDescriptions: [{ name: 'offers', url: './openapi.json', type: 'openapi' }],
  workflows: [
    {
      workflowId: 'buyFromBalance',
      summary: 'Buy an offer from the prepaid balance.',
      description: 'Nothing is bought when the price is above the balance: the creation is refused with E3.',
      ...common,
      steps: [
        {
          stepId: 'estimate',
          description: 'The exact price, held for five minutes.',
          operationId: 'estimatePrice',
          requestBody: {
            contentType: 'application/json',
            payload: {
              start_datetime: '$inputs.start_datetime',
              end_datetime: '$inputs.expiry_datetime',
              location: '$inputs.location',
              radius: '$inputs.radius',
              quote: true,
            },
          },
          successCriteria: succeeded,
          outputs: {
            quoteId: '$response.body#/quote_id',
            cost: '$response.body#/estimated_cost',
            members: '$response.body#/matching_users',
          },
        },
        {
          stepId: 'create',
          description: 'Sent again with the same Idempotency-Key, it buys nothing twice.',
          ...creation({ payment_method: 'B', quote_id: '$steps.estimate.outputs.quoteId' }),
          outputs: { offerId: '$response.body#/offer_id', status: '$response.body#/status' },
        },
      ],
      outputs: { offerId: '$steps.create.outputs.offerId', cost: '$steps.estimate.outputs.cost' },
    },
    {
      workflowId: 'buyByCard',
      summary: 'Buy an offer with a card: a person opens the payment link.',
      ...common,
      steps: [
        {
          stepId: 'listen',
          description:
            'The event offer.paid comes to this address, so that nobody has to ask again and again.',
          operationId: 'createWebhook',
          requestBody: {
            contentType: 'application/json',
            payload: { url: '$inputs.webhook_url', event_types: ['offer.paid'] },
          },
          successCriteria: [{ condition: '$statusCode == 200' }],
        },
        {
          stepId: 'create',
          ...creation({ payment_method: 'E' }),
          outputs: { offerId: '$response.body#/offer_id', paymentUrl: '$response.body#/payment_url' },
        },
        {
          stepId: 'paid',
          description: 'Until the person has paid, the status is Awaiting Payment.',
          operationId: 'readOffer',
          parameters: [{ name: 'offer_id', in: 'path', value: '$steps.create.outputs.offerId' }],
          successCriteria: [
            { condition: '$statusCode == 200' },
            { condition: "$response.body#/offer_status != 'Awaiting Payment'" },
          ],
          onFailure: [{ name: 'askAgain', type: 'retry', retryAfter: 30, retryLimit: 60 }],
        },
      ],
      outputs: {
        offerId: '$steps.create.outputs.offerId',
        paymentUrl: '$steps.create.outputs.paymentUrl',
      },
    },
  ],
  components: {
    inputs: {
      offer: {
        type: 'object',
        required: ['api_key', 'idempotency_key', 'location', ...Object.keys(offer)],
        properties: {
          api_key: { type: 'string' },
          idempotency_key: { type: 'string' },
          webhook_url: { type: 'string', format: 'uri' },
          category_id: { type: 'integer' },
          title: { type: 'string' },
          description: { type: 'string' },
          url: { type: 'string', format: 'uri' },
          image: { type: 'string', format: 'binary' },
          location: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
          radius: { type: 'integer' },
          start_datetime: { type: 'string', format: 'date-time' },
          expiry_datetime: { type: 'string', format: 'date-time' },
          environment: { type: 'string' },
        },
      },
    },
    parameters: { apiKey: { name: 'x-api-key', in: 'header', value: '$inputs.api_key' } },
  },
};
