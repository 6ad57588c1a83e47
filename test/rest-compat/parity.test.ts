import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parityRows, parityTable } from '../../src/rest-compat/parity.js';

const PAGE = join(import.meta.dirname, '../../docs/parity.md');
const HEADING = '## Routes\n\n';

test('the document on self-hosted servers contains the generated route table (`npm run parity`)', () => {
  const table = parityTable(parityRows({ selfHostedWebhooks: 'forward' }));
  const [text = '', shown = ''] = readFileSync(PAGE, 'utf8').split(HEADING);
  if (process.env.WRITE_DOCS) writeFileSync(PAGE, `${text}${HEADING}${table}\n`);
  else expect(shown).toBe(`${table}\n`);
});

test("the bot's guild list and leaving a guild work for self-hosted guilds", () => {
  const own = parityRows({ selfHostedWebhooks: 'forward' }).filter(({ path }) =>
    /^\/users\/@me\/guilds(\/:guildId)?$/.test(path),
  );
  expect(own.map(({ method, outcome }) => [method, outcome])).toEqual([
    ['DELETE', 'works'],
    ['GET', 'works'],
  ]);
});

test('with SELF_HOSTED_WEBHOOKS=not_found only the webhook routes stop working for self-hosted guilds', () => {
  const [works, not] = (['forward', 'not_found'] as const).map((selfHostedWebhooks) =>
    parityRows({ selfHostedWebhooks }),
  );
  const changed = works?.filter((row, at) => row.outcome !== not?.[at]?.outcome);
  expect(changed).toEqual(works?.filter(({ path }) => path.includes('webhooks')));
  expect(changed).toHaveLength(18);
});

test.each([
  ['GET', '/guilds/:guildId', 'guilds'],
  ['PUT', '/guilds/:guildId/members/:userId/roles/:roleId', 'members'],
  ['GET', '/users/@me/guilds/:guildId/member', 'members'],
  ['POST', '/channels/:channelId/messages', 'messages'],
  ['PUT', '/channels/:channelId/messages/pins/:messageId', 'pins'],
  ['POST', '/channels/:channelId/webhooks', 'webhooks'],
  ['PUT', '/applications/:applicationId/guilds/:guildId/commands/:commandId/permissions', 'commands'],
  ['GET', '/guilds/:guildId/scheduled-events', 'guilds'],
])('%s %s belongs to the area %s', (method, path, area) => {
  const rows = parityRows({ selfHostedWebhooks: 'forward' });
  expect(rows.filter((row) => row.method === method && row.path === path)).toMatchObject([{ area }]);
  for (const row of rows) expect(row.area).toMatch(/^[a-z][a-z-]+$/);
});
