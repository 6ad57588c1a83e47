import { z } from 'zod';
import { updateApplication } from '../../domain/applications/index.js';
import { topics } from '../../infra/streams/topics.js';
import { SandboxError } from '../errors.js';
import { type Route, route } from '../route.js';
import { LONGEST_WAIT_MS, until } from '../waiting.js';
import type { BuiltApplication } from '../worlds/build.js';
import type { World } from '../worlds/world.js';

const Wait = z.object({ withinMs: z.coerce.number().int().min(0).max(LONGEST_WAIT_MS).default(10_000) });

/** @throws SandboxError BOT_NOT_CONNECTED, BOT_CONNECTED */
async function connection(world: World, bot: BuiltApplication, isWanted: boolean, withinMs: number): Promise<void> {
  const { reader } = world.app.db;
  const watched = [topics.application(bot.id), topics.user(bot.id), ...world.guilds.map(({ id }) => topics.guild(id))];
  const found = await until(world.app, watched, withinMs, async () => {
    const isConnected = (await reader.presence.count({ where: { userId: bot.id, shardId: { not: null } } })) > 0;
    return isConnected === isWanted ? true : null;
  });
  if (found) return;
  if (isWanted) {
    throw new SandboxError(
      504,
      'BOT_NOT_CONNECTED',
      `${bot.name} did not connect to the gateway within ${withinMs} ms.`,
    );
  }
  throw new SandboxError(504, 'BOT_CONNECTED', `${bot.name} is still connected to the gateway after ${withinMs} ms.`);
}

export const applicationRoutes: readonly Route[] = [
  route('PATCH /worlds/:world/applications/:application', {
    summary: 'Changes the interactions endpoint. The platform tests it first, as on the portal.',
    body: z.strictObject({ interactionsEndpointUrl: z.url().nullable() }),
    async run(sandbox, { params, body }) {
      const world = sandbox.world(params.world);
      const application = world.application(params.application);
      await updateApplication(await world.asOwnerOf(application), { applicationId: application.id, ...body });
      return undefined;
    },
  }),
  route('GET /worlds/:world/applications/:application/connected', {
    summary: 'Waits until the bot has a gateway session.',
    query: Wait,
    async run(sandbox, { params, query }) {
      const world = sandbox.world(params.world);
      await connection(world, world.application(params.application), true, query.withinMs);
    },
  }),
  route('GET /worlds/:world/applications/:application/disconnected', {
    summary: 'Waits until the bot has no gateway session.',
    query: Wait,
    async run(sandbox, { params, query }) {
      const world = sandbox.world(params.world);
      await connection(world, world.application(params.application), false, query.withinMs);
    },
  }),
];
