// Writes the dashboards of examples/grafana: npm run dashboards
import { writeFileSync } from 'node:fs';
import { grafanaOf } from './dashboards/grafana.js';
import { dashboards } from './dashboards/tables.js';

for (const dashboard of dashboards) {
  const text = `${JSON.stringify(grafanaOf(dashboard), null, 2)}\n`;
  writeFileSync(`examples/grafana/${dashboard.uid}.json`, text);
}
