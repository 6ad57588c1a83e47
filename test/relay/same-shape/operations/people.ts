import { createEmoji } from '../../../../src/domain/emojis/index.js';
import { runBuiltIn } from '../../../domain/built-in-commands/scene.js';
import { PIXEL } from '../../../harness/images.js';
import { createPerson } from '../../../harness/rows.js';
import type { Operation, Twin } from '../../../harness/twins.js';
import { addMember, callOf, say } from '../../../harness/world.js';

const MESSAGES = '/channels/{text}/messages';
const EMOJIS = '/guilds/{guild}/emojis';
const runs =
  (name: string, options: (twin: Twin) => Record<string, unknown> = () => ({})) =>
  (twin: Twin) => {
    const { home, guild, people } = twin;
    return runBuiltIn(callOf(home.app, people.owner), guild.channel.id, name, options(twin));
  };

const makesEmoji = async ({ home, guild, people, names }: Twin) => {
  const call = callOf(home.app, people.owner);
  const { emoji } = await createEmoji(call, { guildId: guild.id, name: 'wave', image: PIXEL });
  names.set('emoji', String(emoji.id));
};

const says =
  (content: string) =>
  ({ home, guild, people, names }: Twin) =>
    say(home.app, guild, people.mia, content.replace('{emoji}', names.get('emoji') ?? ''));

const somebodyJoins = async ({ home, guild, names }: Twin) => {
  const user = await createPerson(home.app, 'zoe');
  names.set('zoe', String(user.id));
  await addMember(home.app, guild.id, user);
};

export const operationsAfterPeople: readonly Operation[] = [
  { ask: `GET ${EMOJIS}`, before: makesEmoji },
  { ask: `GET ${EMOJIS}/{emoji}` },
  { ask: 'GET /guilds/{guild}', what: 'with an emoji' },
  { ask: `GET ${MESSAGES}?limit=1`, what: 'with an emoji', before: says('<:wave:{emoji}> hello') },
  { ask: `POST ${MESSAGES}`, json: { content: 'm' }, keep: { message: 'id' } },
  { ask: `PUT ${MESSAGES}/{message}/reactions/wave:{emoji}/@me` },
  { ask: `GET ${MESSAGES}/{message}`, what: 'with a reaction of an emoji' },
  { ask: `GET ${MESSAGES}/{message}/reactions/wave:{emoji}` },
  { ask: `DELETE ${MESSAGES}/{message}/reactions/wave:{emoji}/@me` },
  { ask: `GET ${MESSAGES}?limit=1`, what: 'after ascii', before: runs('ascii', () => ({ text: 'hi' })) },
  { ask: `GET ${MESSAGES}?limit=1`, what: 'after qrcode', before: runs('qrcode', () => ({ text: 'hi' })) },
  { ask: `GET ${MESSAGES}?limit=2`, what: 'after serverinfo', before: runs('serverinfo') },
  { ask: `GET ${MESSAGES}`, what: 'by another bot', by: 'plain' },
  {
    ask: 'GET /guilds/{guild}/audit-logs?limit=1',
    what: 'after slowmode',
    before: runs('slowmode', () => ({ seconds: 1 })),
  },
  {
    ask: `GET ${MESSAGES}?limit=2`,
    what: 'after somebody was welcomed',
    before: async (twin) => {
      const channel = String(twin.guild.channel.id);
      await runs('welcome', () => ({ channel, message: 'Hello {user}' }))(twin);
      await somebodyJoins(twin);
    },
  },
  {
    ask: 'GET /guilds/{guild}/members/{zoe}',
    what: 'after a kick',
    before: runs('kick', ({ names }) => ({ user: names.get('zoe'), reason: 'why' })),
    status: 404,
    code: 10007,
  },
  { ask: `GET ${MESSAGES}?limit=100`, what: 'all' },
  { ask: 'GET /guilds/{guild}/audit-logs?action_type=20' },
];
