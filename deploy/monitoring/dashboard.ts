/** What a dashboard says, without Grafana's many words for it, and how those are made of it. */
import { withMatcher } from './promql.ts';

/** Units as Grafana names them. */
type Unit =
  | 'short'
  | 's'
  | 'bytes'
  | 'percentunit'
  | 'reqps'
  | 'ops'
  | 'cps'
  | 'bool_yes_no'
  | 'dateTimeFromNow';

export type Panel = {
  readonly title: string;
  /** What it shows, and what is good or bad about it. */
  readonly description: string;
  readonly unit: Unit;
  /** Each query with the legend of its lines, such as `{{service}}`. */
  readonly queries: readonly (readonly [expr: string, legend: string])[];
  /** One big number for each line, instead of their course. */
  readonly as?: 'numbers';
  /** From where on it is red: where the alert of its runbook fires, as far as there is one. */
  readonly redFrom?: number;
  /** Parts of a whole, one upon the other. */
  readonly stacked?: true;
};

export type Dashboard = {
  /** Of its address and its file; never to be changed. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  /** Lets people choose between the worlds of money. */
  readonly byMode?: true;
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[];
};

const columns = 24;
const acrossOf = { numbers: 6, course: 8 };
const height = 8;

export function grafanaJson(o: Dashboard): object {
  return {
    uid: o.uid,
    title: o.title,
    description: o.description,
    tags: ['offer-ads'],
    schemaVersion: 41,
    editable: false,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    links: [
      {
        type: 'dashboards',
        tags: ['offer-ads'],
        title: 'Offer ads',
        asDropdown: true,
        keepTime: true,
        includeVars: true,
      },
    ],
    templating: { list: [datasource, namespace, ...(o.byMode ? [mode] : [])] },
    panels: panelsOf(o),
  };
}

const datasource = {
  name: 'datasource',
  label: 'Prometheus',
  type: 'datasource',
  query: 'prometheus',
  current: {},
};

/** One environment or all of them. Outside Kubernetes nothing has the label, which `.*` matches as well. */
const namespace = {
  name: 'namespace',
  label: 'Namespace',
  type: 'query',
  datasource: { type: 'prometheus', uid: '${datasource}' },
  query: 'label_values(up{job="gateway"}, namespace)',
  refresh: 2,
  includeAll: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
};

const mode = {
  name: 'mode',
  label: 'Mode',
  type: 'custom',
  query: 'LIVE,TEST',
  current: { text: 'LIVE', value: 'LIVE' },
  options: ['LIVE', 'TEST'].map((value) => ({ text: value, value, selected: value === 'LIVE' })),
};

/** Row after row, from left to right. */
function panelsOf({ rows }: Dashboard): object[] {
  const made: object[] = [];
  let [x, y] = [0, 0];
  for (const { title, panels } of rows) {
    made.push({
      id: made.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: columns, h: 1 },
      panels: [],
    });
    y += 1;
    for (const panel of panels) {
      const w = acrossOf[panel.as ?? 'course'];
      if (x + w > columns) [x, y] = [0, y + height];
      made.push({ id: made.length + 1, gridPos: { x, y, w, h: height }, ...panelOf(panel) });
      x += w;
    }
    [x, y] = [0, y + height];
  }
  return made;
}

const source = { type: 'prometheus', uid: '${datasource}' };

function panelOf(o: Panel): object {
  const isNumbers = o.as === 'numbers';
  return {
    type: isNumbers ? 'stat' : 'timeseries',
    title: o.title,
    description: o.description,
    datasource: source,
    targets: o.queries.map(([expr, legendFormat], index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: source,
      expr: withMatcher(expr, 'namespace=~"$namespace"'),
      legendFormat,
      ...(isNumbers ? { instant: true } : { range: true }),
    })),
    fieldConfig: {
      defaults: {
        unit: o.unit,
        ...(o.unit === 'dateTimeFromNow' ? {} : { min: 0 }),
        color: { mode: isNumbers ? 'thresholds' : 'palette-classic' },
        thresholds: {
          mode: 'absolute',
          steps: [
            { color: 'green', value: null },
            ...(o.redFrom === undefined ? [] : [{ color: 'red', value: o.redFrom }]),
          ],
        },
        custom: isNumbers ? {} : courseOf(o),
      },
      overrides: [],
    },
    options: isNumbers
      ? { colorMode: 'value', textMode: 'value_and_name', reduceOptions: { calcs: ['lastNotNull'] } }
      : {
          legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
          tooltip: { mode: 'multi', sort: 'desc' },
        },
  };
}

function courseOf({ stacked, redFrom }: Panel): object {
  return {
    fillOpacity: stacked ? 30 : 0,
    lineWidth: 1,
    showPoints: 'never',
    stacking: { mode: stacked ? 'normal' : 'none' },
    thresholdsStyle: { mode: redFrom === undefined ? 'off' : 'line' },
  };
}
