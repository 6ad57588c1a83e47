import { readConfig } from '../src/config.js';
import { callContext } from '../src/context.js';
import { createApplication } from '../src/domain/applications/index.js';
import { createCommand, NewCommand } from '../src/domain/commands/index.js';
import { createGuild } from '../src/domain/guilds/index.js';
import { installApplication } from '../src/domain/installations/index.js';
import { parseInput } from '../src/domain/parse-input.js';
import { createServer } from '../src/server.js';
import type { RequestSpec } from './load.js';
import type { MeasuredServer } from './processes.js';
import { throwAwayFolder } from './scratch.js';
import { signUp } from './world.js';

/** A stopped data folder with a guild whose owner can run a command of an installed application. */
export interface CommandWorld {
  dataDir: string;
  personToken: string;
  botToken: string;
  userId: string;
  guildId: string;
  channelId: string;
  applicationId: string;
  commandId: string;
}

export const JSON_BODY = { 'content-type': 'application/json' };

/** @param endpointUrl the interactions endpoint; null for the gateway */
export async function createCommandWorld(endpointUrl: string | null): Promise<CommandWorld> {
  const dataDir = await throwAwayFolder();
  const server = await createServer(
    readConfig({ PORT: '0', DATA_DIR: dataDir, RATE_LIMITS: 'off', LOG_LEVEL: 'error' }),
  );
  const origin = await server.start();
  try {
    const { token: personToken, userId } = await signUp(origin);
    const { db } = server.app;
    const user = await db.reader.user.findUniqueOrThrow({ where: { id: BigInt(userId) } });
    const call = callContext(server.app, { kind: 'person', user });
    const { id: guildId } = await createGuild(call, { name: 'Measured' });
    const { application, botToken } = await createApplication(call, { name: 'Ferry' });
    const { id: applicationId } = application;
    await installApplication(call, {
      applicationId,
      guildId,
      scopes: ['bot', 'applications.commands'],
      permissions: 0n,
    });
    const body = parseInput(NewCommand, { name: 'ferry', description: 'When does it leave?' });
    const { command } = await createCommand(call, { applicationId, guildId: null }, body);
    const data = { interactionsEndpointUrl: endpointUrl };
    await db.writer.application.update({ where: { id: applicationId }, data });
    const channel = await db.reader.channel.findFirstOrThrow({ where: { guildId, type: 0 } });
    return {
      dataDir,
      personToken,
      botToken,
      userId,
      guildId: String(guildId),
      channelId: String(channel.id),
      applicationId: String(applicationId),
      commandId: String(command.id),
    };
  } finally {
    await server.stop();
  }
}

const INVOKE = `mutation ($input: InvokeCommandInput!) { invokeCommand(input: $input) { interaction { id state } } }`;

export function invocation({ origin }: MeasuredServer, world: CommandWorld): RequestSpec {
  const { personToken, channelId, commandId } = world;
  return {
    method: 'POST',
    url: `${origin}/graphql`,
    headers: { ...JSON_BODY, authorization: `Bearer ${personToken}` },
    body: JSON.stringify({ query: INVOKE, variables: { input: { channelId, commandId } } }),
  };
}
