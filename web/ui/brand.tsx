/** The wordmark: the mark and the name of the product, and beside it the name of the site. */
type BrandProps = {
  readonly address: string;
  /** Left out where it is clear. */
  readonly site?: string;
};

export function Brand({ address, site }: BrandProps) {
  return (
    <a class="brand" href={address}>
      <Mark />
      <span>Offer Ads</span>
      {site !== undefined && <span class="brand-site">{site}</span>}
    </a>
  );
}

/** A place with its circle, and the offer in it. The same drawing is in portal/public/icon.svg. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <circle class="ring" cx="14.5" cy="17.5" r="7.5" />
      <circle class="dot" cx="22.5" cy="9.5" r="4.5" />
    </svg>
  );
}
