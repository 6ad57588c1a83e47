import { type Ask, graphql } from './graphql.js';
import { type MeasuredServer, startBox, startPlatform } from './processes.js';
import { throwAwayFolder } from './scratch.js';
import { signUp } from './world.js';

/** An API for the same server: that of the cloud, or of the box itself. */
export interface Door {
  server: MeasuredServer;
  authorization: string;
}

/** A cloud with a box, each in a child process, and a server on the box with a bot of each. */
export interface RelayWorld {
  cloud: Door;
  direct: Door;
  guildId: string;
  channelId: string;
  stop(): Promise<void>;
}

/** @param settings of both, in addition to the default ones */
export async function startRelayWorld(settings: {
  cloud: NodeJS.ProcessEnv;
  box: NodeJS.ProcessEnv;
}): Promise<RelayWorld> {
  const folders = { cloud: await throwAwayFolder(), box: await throwAwayFolder() };
  const cloud = await startPlatform(null, { ...settings.cloud, DATA_DIR: folders.cloud });
  const owner = graphql(cloud.origin, (await signUp(cloud.origin)).token);
  const { createBox } = await owner<{ createBox: { enrolmentToken: string } }>(
    'mutation { createBox(input: { name: "Measured" }) { enrolmentToken } }',
    {},
  );
  const box = await startBox({
    ...settings.box,
    DATA_DIR: folders.box,
    CLOUD_URL: cloud.origin.replace('127.0.0.1', 'localhost'),
    BOX_TOKEN: createBox.enrolmentToken,
  });
  const keeper = graphql(box.origin, (await signUp(box.origin)).token);
  const { createGuild } = await keeper<{
    createGuild: { guild: { id: string; channels: { id: string; type: number }[] } };
  }>('mutation { createGuild(input: { name: "Measured" }) { guild { id channels { id type } } } }', {});
  const { id: guildId, channels } = createGuild.guild;
  const channelId = channels.find(({ type }) => type === 0)?.id ?? '';
  const direct = { server: box, authorization: await addBot(keeper, guildId) };
  const door = { server: cloud, authorization: await addBot(owner, guildId) };
  return {
    cloud: door,
    direct,
    guildId,
    channelId,
    async stop() {
      await box.stop();
      await cloud.stop();
    },
  };
}

/**
 * Makes a bot with all permissions in a server.
 * @returns its `Authorization`
 */
async function addBot(ask: Ask, guildId: string): Promise<string> {
  const { createApplication } = await ask<{ createApplication: { application: { id: string }; botToken: string } }>(
    'mutation { createApplication(input: { name: "Measured" }) { application { id } botToken } }',
    {},
  );
  const input = { applicationId: createApplication.application.id, guildId, scopes: ['bot'], permissions: '8' };
  const install =
    'mutation ($input: InstallApplicationInput!) { installApplication(input: $input) { installation { id } } }';
  // The cloud knows a new server on a box a little later.
  for (let attempt = 0; ; attempt += 1) {
    try {
      await ask(install, { input });
      return `Bot ${createApplication.botToken}`;
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
