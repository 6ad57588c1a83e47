import { describe, expect, it } from 'vitest';
import { RouteTable } from '../../../src/rest-compat/match.js';
import { parityRows } from '../../../src/rest-compat/parity.js';
import { CLOUD } from '../../../src/rest-compat/route.js';
import { routes } from '../../../src/rest-compat/table.js';
import type { Operation } from '../../harness/twins.js';
import { absentOnBoxes } from './operations/absent.js';
import { channelOperations, guildOperations, roleOperations } from './operations/guilds.js';
import { memberOperations } from './operations/members.js';
import { messageOperations } from './operations/messages.js';
import { voiceOperations } from './operations/voice.js';
import { webhookOperations } from './operations/webhooks.js';

const table = new RouteTable(routes);

function rowOf({ ask }: Operation): string {
  const [method = '', path = ''] = ask.split(' ');
  const matched = table.match({ method, path: path.replace(/\?.*/, '') });
  return 'row' in matched ? `${matched.row.method} ${matched.row.path}` : 'none';
}

const rows = parityRows({ selfHostedWebhooks: 'forward' });
const named = (works: boolean) =>
  rows.filter(({ outcome }) => (outcome === 'works') === works).map(({ method, path }) => `${method} ${path}`);

/** Routes about all servers of a bot, which the cloud serves itself. */
const ofCloud = routes.filter(({ where }) => where === CLOUD).map(({ method, path }) => `${method} ${path}`);

describe('the operations on both guilds (docs/parity.md)', () => {
  it('have every route that works on a box, except those that the cloud serves itself', () => {
    const asked = new Set(
      [
        ...messageOperations,
        ...memberOperations,
        ...guildOperations,
        ...roleOperations,
        ...channelOperations,
        ...voiceOperations,
        ...webhookOperations,
      ].map(rowOf),
    );
    expect(named(true).filter((row) => !asked.has(row) && !ofCloud.includes(row))).toEqual([]);
  });

  it('have every route that does not, except those without a server', () => {
    const asked = new Set(absentOnBoxes.map(rowOf));
    const ofServers = named(false).filter((row) => /:(guildId|channelId)/.test(row));
    expect(ofServers.filter((row) => !asked.has(row))).toEqual([]);
  });
});
