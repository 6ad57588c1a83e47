import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { grafanaOf } from '../../scripts/dashboards/grafana.js';
import { dashboards } from '../../scripts/dashboards/tables.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Position {
  x: number;
  y: number;
  w: number;
  h: number;
}

interface ShownPanel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: Position;
  targets?: { expr: string }[];
  fieldConfig?: { defaults: { unit: string } };
}

const files = readdirSync(join(ROOT, 'examples/grafana')).map((file) => {
  const { uid, panels } = JSON.parse(read(`examples/grafana/${file}`)) as { uid: string; panels: ShownPanel[] };
  return { file, uid, panels, figures: panels.filter(({ type }) => type !== 'row') };
});

const overlap = (one: Position, other: Position) =>
  one.x < other.x + other.w && other.x < one.x + one.w && one.y < other.y + other.h && other.y < one.y + one.h;

/** The documented metrics, which are those of a server (test/http/metrics.test.ts). */
const documented = new Set([...read('docs/metrics.md').matchAll(/^\| `(causeway_\w+)` \|/gm)].map(([, name]) => name));

function unknownIn(text: string): string[] {
  const named = [...text.matchAll(/\bcauseway_\w+/g)].map(([name]) => name);
  return named.filter((name) => !documented.has(name) && !documented.has(name.replace(/_(bucket|count|sum)$/, '')));
}

describe('the dashboards', () => {
  it('are up to date (npm run dashboards)', () => {
    const made = dashboards.map((dashboard) => [`${dashboard.uid}.json`, grafanaOf(dashboard)]);
    const stored = files.map(({ file }) => [file, JSON.parse(read(`examples/grafana/${file}`))]);
    expect(Object.fromEntries(stored)).toEqual(Object.fromEntries(made));
  });

  it.each(files)('$file has panels of its own that do not overlap', ({ panels, figures }) => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(figures.map(({ title }) => title)).size).toBe(figures.length);
    for (const [index, { title, gridPos }] of panels.entries()) {
      expect([title, gridPos.x + gridPos.w <= 24]).toEqual([title, true]);
      const overlapping = panels.slice(index + 1).filter((other) => overlap(gridPos, other.gridPos));
      expect([title, overlapping.map((other) => other.title)]).toEqual([title, []]);
    }
  });

  it.each(files)(
    '$file has a description, a unit and queries of the selected processes for each panel',
    ({ figures }) => {
      for (const { title, description = '', targets = [], fieldConfig } of figures) {
        expect([title, description]).toEqual([title, expect.stringMatching(/^.{20,}\.$/)]);
        expect([title, fieldConfig?.defaults.unit]).toEqual([title, expect.stringMatching(/\w/)]);
        expect([title, targets.length]).not.toEqual([title, 0]);
        for (const { expr } of targets) {
          const selections = expr.match(/\w+\{job="\$job", instance=~"\$instance"/g) ?? [];
          expect([expr, selections.length]).toEqual([
            expr,
            expr.match(/\b(causeway|process|nodejs)_\w+|\bup\b/g)?.length,
          ]);
        }
      }
    },
  );
});

it.each([
  ...files.map(({ file }) => `examples/grafana/${file}`),
  'examples/prometheus/alerts.yml',
  'docs/alerts.md',
  'docs/operations.md',
])('%s names documented metrics only', (path) => {
  expect(unknownIn(read(path))).toEqual([]);
});

it('docs/alerts.md has a heading for each alert and for no other', () => {
  const { groups } = parse(read('examples/prometheus/alerts.yml')) as {
    groups: { rules: { alert: string; annotations: Record<string, string> }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  const headings = [...read('docs/alerts.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, annotations } of rules) {
    const { summary, description, runbook } = annotations;
    expect([summary, description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\.$/)]);
    expect(runbook).toBe(`docs/alerts.md#${alert.toLowerCase()}`);
  }
});
