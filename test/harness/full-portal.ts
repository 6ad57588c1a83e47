import { putCommand } from './command-rows.js';
import { makeEmoji } from './emojis.js';
import { GatewayClient } from './gateway-client.js';
import { makeOperator } from './operators.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  type MadeApplication,
  makeWebhook,
  type Person,
  sendMessage,
  signUp,
} from './people.js';
import { ask } from './rest.js';
import { type BoxOfCloud, startBoxOn } from './self-hosted.js';
import type { TestServer } from './server.js';
import { addToTeam, createTeam, inviteTester, inviteToTeam, transferApplication } from './teams.js';

export interface FullPortal {
  owner: Person;
  application: MadeApplication;
  params: Record<
    | 'applicationId'
    | 'commandId'
    | 'interactionId'
    | 'teamId'
    | 'guildId'
    | 'channelId'
    | 'roleId'
    | 'boxId'
    | 'code'
    | 'personId',
    string
  >;
  selfHostedId: string;
  stop(): Promise<void>;
}

const OPTIONS = [{ type: 3, name: 'where', description: 'Where to', choices: [{ name: 'Left', value: 'left' }] }];

/** Fills the portal of one user, who is an operator, with at least one object of each kind. */
export async function fillPortal(server: TestServer): Promise<FullPortal> {
  const box = await startBoxOn(server, { cloudUrl: server.origin });
  const { owner } = box;
  const [mate, guest] = [await signUp(server, 'mate'), await signUp(server, 'guest')];
  const application = await createApplication(owner, 'Otter bot');
  const team = await fillTeam(owner, mate, guest);
  await inviteOwner(owner, mate);
  const guild = await createGuild(owner, 'Harbour');
  await inviteOf(owner, guild);
  await invite(owner, guild, mate);
  await install(owner, application, guild, { permissions: '8' });
  await makeWebhook(server, owner, application, guild.textChannelId);
  await makeEmoji(server, owner, { guildId: guild.id }, 'anchor');
  await makeEmoji(server, owner, { applicationId: application.id }, 'otter');
  for (const tester of [mate, guest]) await inviteTester(owner, application, tester);
  const commandId = String(
    (await putCommand(server.app, BigInt(application.id), { name: 'dive', options: OPTIONS })).id,
  );
  const bot = await GatewayClient.open(server.origin);
  await bot.ready(application.botToken);
  await sendMessage(owner, guild.textChannelId, 'Ahoy, **all** of you');
  const interactionId = await runAnswered(server, owner, bot, { commandId, channelId: guild.textChannelId });
  const code = await inviteOf(mate, await createGuild(mate, 'Quay'));
  const selfHostedId = await selfHosted(box, application);
  await makeOperator(server, owner);
  // The installation has sent calls to the box.
  await server.app.boxMeasures.store();
  return {
    owner,
    application,
    params: {
      applicationId: application.id,
      commandId,
      interactionId,
      teamId: team,
      guildId: guild.id,
      channelId: guild.textChannelId,
      // The role `@everyone` has the id of the server.
      roleId: guild.id,
      boxId: box.boxId,
      code,
      personId: mate.id,
    },
    selfHostedId,
    async stop() {
      await bot.close();
      await box.stop();
    },
  };
}

async function fillTeam(owner: Person, mate: Person, guest: Person): Promise<string> {
  const team = await createTeam(owner, 'Builders');
  await addToTeam(owner, team, mate, 'DEVELOPER');
  await inviteToTeam(owner, team, guest, 'READ_ONLY');
  await transferApplication(owner, await createApplication(owner, 'Team bot'), team);
  return team.id;
}

async function inviteOwner(owner: Person, mate: Person): Promise<void> {
  await inviteToTeam(mate, await createTeam(mate, 'Sailors'), owner, 'ADMIN');
  await inviteTester(mate, await createApplication(mate, 'Sail bot'), owner);
}

async function runAnswered(
  server: TestServer,
  person: Person,
  bot: GatewayClient,
  input: { commandId: string; channelId: string },
): Promise<string> {
  const options = [{ name: 'where', type: 3, value: 'left' }];
  await person.graphql('mutation ($i: InvokeCommandInput!) { invokeCommand(input: $i) { interaction { id } } }', {
    i: { ...input, options },
  });
  const { id, token } = (await bot.event('INTERACTION_CREATE')).d;
  const button = { type: 1, components: [{ type: 2, style: 1, label: 'Again', custom_id: 'again' }] };
  const embed = { title: 'Deep', description: 'And *dark*', fields: [{ name: 'Metres', value: '40' }] };
  const json = { type: 4, data: { content: 'Splash', embeds: [embed], components: [button] } };
  await ask(server, 'POST', `/interactions/${id}/${token}/callback`, { json });
  return id;
}

/** @returns the code of a new invite */
export async function inviteOf(person: Person, { textChannelId }: { textChannelId: string }): Promise<string> {
  const { createInvite } = await person.graphql('mutation ($i: ChannelIdInput!) { createInvite(input: $i) { code } }', {
    i: { channelId: textChannelId },
  });
  return createInvite.code;
}

async function selfHosted({ owner, makeGuild }: BoxOfCloud, application: MadeApplication) {
  const guild = await makeGuild();
  await install(owner, application, guild, { permissions: '8' });
  return guild.id;
}
