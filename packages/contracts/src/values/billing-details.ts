/** What invoices show of an organisation beside its name and country (decision 231, billing details). */
export type BillingDetails = {
  /** The lines, without name and country. Empty: the organisation has not given its address. */
  readonly address: string[];
  /** With its prefix, without blanks, such as `DE123456789`. */
  readonly vatNumber: string | null;
  /** The customer's own reference. */
  readonly purchaseOrder: string | null;
};

/** Bounds for which an invoice has room on its one page. */
export const MAX_ADDRESS_LINES = 6;
export const MAX_CHARACTERS_OF_ADDRESS_LINE = 80;
export const MAX_CHARACTERS_OF_PURCHASE_ORDER = 50;
