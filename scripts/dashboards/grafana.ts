/** The dashboards as data, and how they become files that Grafana 10 and later imports without plugins. */
export interface Dashboard {
  title: string;
  /** The stable ID of the dashboard, also the name of its file. */
  uid: string;
  description: string;
  /** Whether it shows one process at a time, and not all that are selected. */
  isOfOne?: boolean;
  sections: Record<string, Panel[]>;
}

export interface Panel {
  title: string;
  /** Says what the figure means, and what to look at when it is unusual. */
  description: string;
  /** An ID of Grafana's units, such as `s`, `bytes` or `reqps`. */
  unit: string;
  /** Legends by PromQL expression, in which the metrics have no labels of the job and the instance. */
  queries: Record<string, string>;
  /** From this value on, it is orange, and from the second one on, red. */
  limits?: [orange: number, red: number];
  /** Whether only the last value is shown. */
  isStat?: boolean;
  /** Texts for the values of a stat. */
  texts?: Record<string, string>;
  /** Whether small values are the bad ones, so that values below `limits` are coloured. */
  isGoodAbove?: boolean;
}

/** Columns of Grafana's grid. */
const COLUMNS = 24;
const SIZES = { stat: { w: 4, h: 4 }, timeseries: { w: 8, h: 8 } };

const SOURCE = { type: 'prometheus', uid: '$datasource' };

const METRIC = /\b((?:causeway|process|nodejs)_\w+|up)\b(?:\{([^}]*)\})?/g;

/** Restricts each metric to the job and the processes that are selected. */
export function selecting(query: string): string {
  return query.replaceAll(METRIC, (_all, name: string, labels?: string) => {
    const selected = 'job="$job", instance=~"$instance"';
    return `${name}{${labels ? `${selected}, ${labels}` : selected}}`;
  });
}

export function grafanaOf({ title, uid, description, isOfOne = false, sections }: Dashboard): object {
  return {
    title: `Causeway: ${title}`,
    uid,
    description,
    tags: ['causeway'],
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    links: [{ type: 'dashboards', title: 'Causeway', tags: ['causeway'], asDropdown: true, keepTime: true }],
    templating: { list: variables(isOfOne) },
    panels: placed(sections),
  };
}

function variables(isOfOne: boolean): object[] {
  const ofLabel = (name: string, label: string, query: string) => ({
    name,
    label,
    type: 'query',
    datasource: SOURCE,
    definition: query,
    query: { query, refId: name },
    refresh: 2,
    sort: 1,
  });
  return [
    { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
    ofLabel('job', 'Job', 'label_values(causeway_ready, job)'),
    {
      ...ofLabel('instance', 'Process', 'label_values(up{job="$job"}, instance)'),
      ...(isOfOne ? {} : { multi: true, includeAll: true, allValue: '.*', current: { text: 'All', value: '$__all' } }),
    },
  ];
}

/** Fills the grid from the left, with each section in lines of its own. */
function placed(sections: Dashboard['sections']): object[] {
  let [id, x, y, height] = [0, 0, 0, 0];
  const breakLine = () => {
    y += height;
    x = 0;
    height = 0;
  };
  return Object.entries(sections).flatMap(([title, panels]) => {
    breakLine();
    const row = { id: ++id, type: 'row', title, collapsed: false, gridPos: { x, y, w: COLUMNS, h: 1 }, panels: [] };
    y += 1;
    return [
      row,
      ...panels.map((panel) => {
        const { w, h } = SIZES[typeOf(panel)];
        if (x + w > COLUMNS || (height > 0 && h !== height)) breakLine();
        const gridPos = { x, y, w, h };
        x += w;
        height = h;
        return { id: ++id, ...panelOf(panel), gridPos };
      }),
    ];
  });
}

const typeOf = ({ isStat }: Panel) => (isStat ? 'stat' : 'timeseries');

function panelOf(panel: Panel): object {
  const { title, description, unit, queries, limits, texts, isGoodAbove = false } = panel;
  const colours = isGoodAbove ? ['red', 'orange', 'green'] : ['green', 'orange', 'red'];
  const values = [null, ...(limits ?? [])];
  return {
    type: typeOf(panel),
    title,
    description,
    datasource: SOURCE,
    targets: Object.entries(queries).map(([query, legendFormat], index) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + index),
      datasource: SOURCE,
      expr: selecting(query),
      legendFormat,
      instant: panel.isStat === true,
      range: panel.isStat !== true,
    })),
    fieldConfig: {
      defaults: {
        unit,
        ...(panel.isStat ? {} : { min: 0 }),
        color: { mode: panel.isStat ? 'thresholds' : 'palette-classic' },
        mappings: texts
          ? [
              {
                type: 'value',
                options: Object.fromEntries(Object.entries(texts).map(([value, text]) => [value, { text }])),
              },
            ]
          : [],
        thresholds: { mode: 'absolute', steps: values.map((value, index) => ({ color: colours[index], value })) },
        ...(panel.isStat ? {} : { custom: { thresholdsStyle: { mode: limits ? 'dashed' : 'off' } } }),
      },
      overrides: [],
    },
    options: panel.isStat
      ? { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'value', graphMode: 'none' }
      : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  };
}
