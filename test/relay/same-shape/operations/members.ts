import { nameMember } from '../../../harness/rows.js';
import type { Operation, Twin } from '../../../harness/twins.js';
import { addMember } from '../../../harness/world.js';
import { exceptInstalls } from './audit-log.js';

const MEMBERS = '/guilds/{guild}/members';

const joins =
  (name: 'mia' | 'ned' | 'oto') =>
  ({ home, guild, people }: Twin) =>
    addMember(home.app, guild.id, people[name]);

const isCalled =
  (nick: string) =>
  ({ home, guild, people }: Twin) =>
    nameMember(home.app, guild.id, people.ned, nick);

const IN_AN_HOUR = new Date(Date.now() + 3_600_000).toISOString();

export const memberOperations: readonly Operation[] = [
  { ask: `GET ${MEMBERS}?limit=1000` },
  { ask: `GET ${MEMBERS}`, what: 'one unless more are asked for' },
  { ask: `GET ${MEMBERS}?limit=2&after={mia}` },
  { ask: `GET ${MEMBERS}/search?query=ni&limit=10`, before: isCalled('Níck') },
  { ask: `GET ${MEMBERS}/search?query=N%C3%AD&limit=10` },
  { ask: `GET ${MEMBERS}/search?query=nobody` },
  { ask: `GET ${MEMBERS}/@me` },
  { ask: `GET ${MEMBERS}/%40me` },
  { ask: 'GET /users/@me/guilds/{guild}/member' },
  { ask: `GET ${MEMBERS}/{mia}` },
  { ask: `GET ${MEMBERS}/{bot}` },
  { ask: `GET ${MEMBERS}/{owner}`, by: 'plain' },
  { ask: `PATCH ${MEMBERS}/@me`, json: { nick: 'Lampe' }, headers: { 'x-audit-log-reason': 'na%20ja' } },
  { ask: `PATCH ${MEMBERS}/@me/nick`, json: { nick: '昵称' } },
  { ask: `PATCH ${MEMBERS}/@me`, what: 'back', json: { nick: null } },
  { ask: `PATCH ${MEMBERS}/@me`, what: 'nothing', json: {} },
  { ask: 'POST /guilds/{guild}/roles', json: { name: 'given' }, keep: { given: 'id' } },
  { ask: `PATCH ${MEMBERS}/{mia}`, json: { nick: 'Mimi', roles: ['{given}'] } },
  { ask: `PATCH ${MEMBERS}/{mia}`, what: 'nothing', json: {} },
  { ask: `PATCH ${MEMBERS}/{mia}`, what: 'timeout', json: { communication_disabled_until: IN_AN_HOUR } },
  { ask: `GET ${MEMBERS}/{mia}`, what: 'timed out' },
  { ask: `PATCH ${MEMBERS}/{mia}`, what: 'end of the timeout', json: { communication_disabled_until: null, nick: '' } },
  { ask: `PATCH ${MEMBERS}/{mia}`, what: 'no roles', json: { roles: [] } },
  { ask: `PUT ${MEMBERS}/{ned}/roles/{given}`, headers: { 'x-audit-log-reason': 'Verdienst%20%F0%9F%8E%96' } },
  { ask: `PUT ${MEMBERS}/{ned}/roles/{given}`, what: 'again' },
  { ask: `GET ${MEMBERS}/{ned}` },
  { ask: `DELETE ${MEMBERS}/{ned}/roles/{given}` },
  { ask: `DELETE ${MEMBERS}/{ned}`, headers: { 'x-audit-log-reason': 'gone' } },
  { ask: `GET ${MEMBERS}/{ned}`, what: 'who is gone', status: 404, code: 10007 },
  {
    ask: 'PUT /guilds/{guild}/bans/{mia}',
    json: { delete_message_seconds: 3_600 },
    headers: { 'x-audit-log-reason': 'ban%0Aned' },
  },
  { ask: 'PUT /guilds/{guild}/bans/{mia}', what: 'again' },
  { ask: 'PUT /guilds/{guild}/bans/{oto}', what: 'of who is no member', json: {} },
  { ask: 'PUT /guilds/{guild}/bans/{ned}', what: 'without a body' },
  { ask: 'GET /guilds/{guild}/bans' },
  { ask: 'GET /guilds/{guild}/bans?limit=1' },
  { ask: 'GET /guilds/{guild}/bans?after={mia}' },
  { ask: 'GET /guilds/{guild}/bans/{mia}' },
  { ask: 'DELETE /guilds/{guild}/bans/{mia}', headers: { 'x-audit-log-reason': 'forgiven' } },
  { ask: 'DELETE /guilds/{guild}/bans/{ned}' },
  { ask: 'GET /guilds/{guild}/bans', what: 'those that are left' },
  { ask: `GET ${MEMBERS}/{mia}`, what: 'who is back', before: joins('mia') },
  { ask: 'GET /guilds/{guild}/audit-logs?limit=100', but: exceptInstalls },
  { ask: 'GET /guilds/{guild}/audit-logs?action_type=22', but: exceptInstalls },
  { ask: 'GET /guilds/{guild}/audit-logs?user_id={bot}&limit=3', but: exceptInstalls },
];
