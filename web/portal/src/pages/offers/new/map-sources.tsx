/** The sources of the map's data, as their licences require. */
export function MapSources() {
  return (
    <p class="small muted">
      Outlines and waters:{' '}
      <a href="https://www.naturalearthdata.com/" target="_blank" rel="noreferrer">
        Natural Earth
      </a>
      . Towns:{' '}
      <a href="https://www.geonames.org/" target="_blank" rel="noreferrer">
        GeoNames
      </a>
      ,{' '}
      <a href="https://creativecommons.org/licenses/by/4.0/" target="_blank" rel="noreferrer">
        CC BY 4.0
      </a>
      .
    </p>
  );
}
