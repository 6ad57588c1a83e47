import { eventually } from '../../harness/jobs.js';
import { sendMessage } from '../../harness/people.js';
import { type Cast, type ClientBot, sendPayload } from './cast.js';
import type { Dispatch, Dispatches } from './dispatches.js';

/** Jobs that a verb leaves behind, whose events belong to what it did. */
const LEFT_BEHIND = ['messages-of-banned', 'remove-channel', 'show-user'];

let pauses = 0;

/** The place of one message that all were told, in what each client was told. */
export type Pause = ReadonlyMap<Dispatches, number>;

export const clientsOf = ({ administrator, roamer, watcher }: Cast): ClientBot[] => [administrator, roamer, watcher];

/** Settles when everything that was done is told to every client: what has no answer is done, and a message that all hear came after it. */
export async function settle(cast: Cast): Promise<Pause> {
  pauses += 1;
  await eventually(() => noticeSockets(cast), { interval: 10 });
  const clients = clientsOf(cast);
  await Promise.all(clients.map((bot) => heard(cast, bot)));
  await eventually(() => finishJobs(cast), { interval: 10 });
  await cast.server.app.connections.settle();
  const content = `pause ${pauses}`;
  const places = clients.map(async ({ dispatches }): Promise<[Dispatches, number]> => {
    const isPause = ({ type, data }: Dispatch) => type === 'MESSAGE_CREATE' && data.content === content;
    return [dispatches, await dispatches.find(isPause, dispatches.all.length)];
  });
  await sendMessage(cast.owner, cast.steadyId, content);
  return new Map(await Promise.all(places));
}

/** The server has heard of every socket that was closed. @throws Error while it has not */
async function noticeSockets({ server, owner, people, sockets }: Cast): Promise<void> {
  const ids = [owner, ...people].map(({ id }) => BigInt(id));
  const rows = await server.app.db.reader.presence.count({ where: { userId: { in: ids } } });
  const open = [...sockets.values()].flat().length;
  if (rows !== open) throw new Error(`${rows} presences for ${open} sockets`);
}

/** What the client has sent is done: its payloads are worked off in their order, and this one has an answer. */
async function heard({ guild }: Cast, bot: ClientBot): Promise<void> {
  await bot.resumed;
  const nonce = `pause ${pauses}`;
  const from = bot.dispatches.all.length;
  // Of nobody who is there, so that the answer changes nothing in the caches.
  sendPayload(bot, 8, { guild_id: guild.id, user_ids: ['1'], limit: 0, nonce });
  await bot.dispatches.find(({ type, data }) => type === 'GUILD_MEMBERS_CHUNK' && data.nonce === nonce, from);
}

/** @throws Error while there are jobs left */
async function finishJobs({ server }: Cast): Promise<void> {
  const left = await server.app.db.reader.job.count({ where: { kind: { in: LEFT_BEHIND } } });
  if (left > 0) throw new Error(`${left} jobs are left`);
}
