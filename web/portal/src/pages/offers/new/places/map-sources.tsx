/** The sources of the map's data, as their licences require. */
export function MapSources() {
  return (
    <details class="small muted">
      <summary>Sources of the map</summary>
      <p>
        Outlines and waters:{' '}
        <a href="https://www.naturalearthdata.com/" target="_blank" rel="noreferrer">
          Natural Earth
        </a>
        . Towns and postcodes:{' '}
        <a href="https://www.geonames.org/" target="_blank" rel="noreferrer">
          GeoNames
        </a>
        ,{' '}
        <a href="https://creativecommons.org/licenses/by/4.0/" target="_blank" rel="noreferrer">
          CC BY 4.0
        </a>
        . Postcodes of Great Britain:{' '}
        <a
          href="https://www.nationalarchives.gov.uk/doc/open-government-licence/version/3/"
          target="_blank"
          rel="noreferrer"
        >
          OGL 3.0
        </a>
        , contains OS data © Crown copyright and database right, Royal Mail data © Royal Mail copyright and
        database right, and National Statistics data © Crown copyright and database right.
      </p>
    </details>
  );
}
