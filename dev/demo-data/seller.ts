/** The seller on invoices of a trial system; the keys are names of billing's settings. */
export const demoSeller = {
  SELLER_NAME: 'Offer Ads Ltd',
  SELLER_ADDRESS: '1 Example Street, London, EC1A 1AA, United Kingdom',
  SELLER_VAT_NUMBER: 'GB 123 4567 89',
};
export const demoSender = 'Offer Ads <offers@offer-ads.example>';
