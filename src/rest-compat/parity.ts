import type { Config } from '../config.js';
import type { ParityRow } from '../domain/boxes/index.js';
import { CLOUD, type Route, type SelfHosted } from './route.js';
import { areaOf, routes } from './table.js';

const OUTCOMES = {
  forward: 'works',
  inCloud: 'works',
  notFound: '404',
  notImplemented: '501',
} as const satisfies Record<SelfHosted, ParityRow['outcome']>;

const NOTES: Partial<Record<SelfHosted, string>> = {
  inCloud: 'Handled by the cloud, even while the box is offline.',
};

/** Routes in the cloud that concern self-hosted servers (service description, section 4). */
const OF_THE_CLOUD: readonly (readonly [RegExp, ParityRow['outcome'], string])[] = [
  [/^\/interactions\//, '404', 'Users cannot run bot commands on self-hosted servers.'],
  [
    /^\/applications\/:applicationId\/commands/,
    '404',
    'Works as usual, but self-hosted servers do not have the commands.',
  ],
  [/^\/users\/@me\/guilds$/, 'works', 'Includes self-hosted servers, even while the box is offline.'],
  [/^\/users\/@me\/guilds\/:guildId$/, 'works', 'Requires the box to be online.'],
  [/^\/users\/@me\/channels$/, '404', 'Works as usual, except for users of a box: 404 with code 10013.'],
  [/^\/users\/(:userId|by-name\/:name)$/, '404', 'Works as usual, except for users of a box: 404 with code 10013.'],
];

/** The routes that concern a server, in table order. */
export function parityRows(config: Pick<Config, 'selfHostedWebhooks'>): ParityRow[] {
  return routes.flatMap((row) => parityOf(row, config.selfHostedWebhooks === 'forward'));
}

function parityOf(row: Route, hasWebhooks: boolean): ParityRow[] {
  const { method, path, where } = row;
  const named = { area: areaOf(row), method, path };
  if (where === CLOUD) {
    return OF_THE_CLOUD.filter(([paths]) => paths.test(path)).map(([, outcome, note]) => ({
      ...named,
      outcome,
      note,
    }));
  }
  const { selfHosted, isDoneIf, note = null, isOfWebhooks = false } = where;
  if (isOfWebhooks && !hasWebhooks) return [{ ...named, outcome: '404', note: null }];
  if (typeof selfHosted === 'function') return [{ ...named, outcome: 'works', note }];
  const outcome = isDoneIf ? '204' : OUTCOMES[selfHosted];
  return [{ ...named, outcome, note: note ?? NOTES[selfHosted] ?? null }];
}

/** Markdown table of docs/parity.md. */
export function parityTable(rows: readonly ParityRow[]): string {
  const lines = rows.map(
    ({ method, path, outcome, note }) => `| ${method} | \`${path}\` | ${outcome} | ${note ?? ''} |`,
  );
  return ['| Method | Path | Result | Note |', '| --- | --- | --- | --- |', ...lines].join('\n');
}
