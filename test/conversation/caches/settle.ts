import { eventually } from '../../harness/jobs.js';
import { sendMessage } from '../../harness/people.js';
import { type Cast, type ClientBot, sendPayload } from './cast.js';
import type { Dispatch, Dispatches } from './dispatches.js';

/** Jobs whose events belong to an earlier operation. */
const LEFT_BEHIND = ['messages-of-banned', 'remove-channel', 'show-user'];

let pauses = 0;

/** The index of the last message that all clients got, in the events of each client. */
export type Pause = ReadonlyMap<Dispatches, number>;

export const clientsOf = ({ administrator, roamer, watcher }: Cast): ClientBot[] => [administrator, roamer, watcher];

/**
 * Settles when all clients have the events of all operations. Payloads without an answer are processed, and a message
 * of each process to all clients comes after them.
 */
export async function settle(cast: Cast): Promise<Pause> {
  pauses += 1;
  await eventually(() => noticeSockets(cast), { interval: 10 });
  const clients = clientsOf(cast);
  await Promise.all(clients.map((bot) => heard(cast, bot)));
  await eventually(() => finishJobs(cast), { interval: 10 });
  await Promise.all(cast.processes.map(({ app }) => app.connections.settle()));
  await sendPause(cast);
  return sendPause(cast);
}

let messages = 0;

/** Sends the message of one process. The next call uses the other one. */
async function sendPause(cast: Cast): Promise<Pause> {
  messages += 1;
  const content = `pause ${messages}`;
  const places = clientsOf(cast).map(async ({ dispatches }): Promise<[Dispatches, number]> => {
    const isPause = ({ type, data }: Dispatch) => type === 'MESSAGE_CREATE' && data.content === content;
    return [dispatches, await dispatches.find(isPause, dispatches.all.length)];
  });
  await sendMessage(cast.owner, cast.steadyId, content);
  return new Map(await Promise.all(places));
}

/**
 * Checks that the server has noticed every closed socket.
 * @throws Error while it has not
 */
async function noticeSockets({ server, owner, people, sockets }: Cast): Promise<void> {
  const ids = [owner, ...people].map(({ id }) => BigInt(id));
  const rows = await server.app.db.reader.presence.count({ where: { userId: { in: ids } } });
  const open = [...sockets.values()].flat().length;
  if (rows !== open) throw new Error(`${rows} presences for ${open} sockets`);
}

/** Waits for a later payload with an answer, since payloads of a client are processed in order. */
async function heard({ guild }: Cast, bot: ClientBot): Promise<void> {
  await bot.resumed;
  const nonce = `pause ${pauses}`;
  const from = bot.dispatches.all.length;
  // The id is unknown, so the answer changes no cache.
  sendPayload(bot, 8, { guild_id: guild.id, user_ids: ['1'], limit: 0, nonce });
  await bot.dispatches.find(({ type, data }) => type === 'GUILD_MEMBERS_CHUNK' && data.nonce === nonce, from);
}

/** @throws Error while there are jobs left */
async function finishJobs({ server }: Cast): Promise<void> {
  const left = await server.app.db.reader.job.count({ where: { kind: { in: LEFT_BEHIND } } });
  if (left > 0) throw new Error(`${left} jobs are left`);
}
