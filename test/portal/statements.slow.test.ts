import { type DocumentNode, print } from 'graphql';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { BotSessionsDocument } from '../../portal/src/gql/applications/bot.js';
import { CommandsDocument } from '../../portal/src/gql/applications/commands/commands.js';
import { InteractionLogDocument } from '../../portal/src/gql/applications/interactions/interactions.js';
import { ApplicationDocument } from '../../portal/src/gql/applications/layout.js';
import { ApplicationsDocument } from '../../portal/src/gql/applications/list.js';
import { WebhooksDocument } from '../../portal/src/gql/applications/webhooks/webhooks.js';
import { ApplicationLogDocument, GuildLogDocument, InstanceLogDocument } from '../../portal/src/gql/audit/audit.js';
import { BoxesDocument, BoxStatisticsDocument } from '../../portal/src/gql/boxes/boxes.js';
import { ApplicationEmojisDocument, GuildEmojisDocument } from '../../portal/src/gql/emojis/emojis.js';
import { FrameDocument } from '../../portal/src/gql/frame.js';
import { HomeDocument } from '../../portal/src/gql/home/home.js';
import { InstanceApplicationsDocument } from '../../portal/src/gql/instance/applications.js';
import { InstanceBoxesDocument } from '../../portal/src/gql/instance/boxes.js';
import { InstanceLimitsDocument } from '../../portal/src/gql/instance/limits.js';
import { InstanceOperatorsDocument } from '../../portal/src/gql/instance/operators.js';
import { InstancePeopleDocument, InstancePersonDocument } from '../../portal/src/gql/instance/people.js';
import { InstanceServersDocument } from '../../portal/src/gql/instance/servers.js';
import { ChannelMessagesDocument } from '../../portal/src/gql/servers/channel/channel.js';
import { GuildInvitesDocument } from '../../portal/src/gql/servers/general.js';
import { GuildInstallationsDocument } from '../../portal/src/gql/servers/integrations/integrations.js';
import { GuildDocument } from '../../portal/src/gql/servers/layout.js';
import { GuildBansDocument } from '../../portal/src/gql/servers/members/bans.js';
import { GuildMembersDocument } from '../../portal/src/gql/servers/members/members.js';
import { SwitcherDocument } from '../../portal/src/gql/switcher.js';
import { TeamDocument } from '../../portal/src/gql/teams/layout.js';
import { TeamsDocument } from '../../portal/src/gql/teams/list.js';
import { putCommand } from '../harness/command-rows.js';
import { makeEmoji } from '../harness/emojis.js';
import { it } from '../harness/fixtures.js';
import { type FullPortal, fillPortal } from '../harness/full-portal.js';
import { makeOperator } from '../harness/operators.js';
import {
  createApplication,
  createGuild,
  install,
  invite,
  makeWebhook,
  type Person,
  sendMessage,
  signUp,
} from '../harness/people.js';
import { makeBox } from '../harness/self-hosted.js';
import type { TestServer } from '../harness/server.js';
import { statementsOf } from '../harness/statements.js';
import { addToTeam, createTeam, inviteTester, inviteToTeam, transferApplication } from '../harness/teams.js';

let server: TestServer;
let full: FullPortal;
it.beforeAll(async ({ server: shared }) => {
  server = shared;
  full = await fillPortal(server);
});
afterAll(async () => {
  await full.stop();
});

/** The most statements that each document of a page takes, including those for the session. */
const MOST: [document: DocumentNode, param: keyof FullPortal['params'] | null, most: number, more?: object][] = [
  [FrameDocument, null, 5],
  [HomeDocument, null, 20],
  [SwitcherDocument, null, 7],
  [ApplicationsDocument, null, 6],
  [ApplicationDocument, 'applicationId', 10],
  [BotSessionsDocument, 'applicationId', 2],
  [CommandsDocument, 'applicationId', 2],
  [WebhooksDocument, 'applicationId', 5],
  [InteractionLogDocument, 'applicationId', 6],
  [ApplicationLogDocument, 'applicationId', 7],
  [TeamsDocument, null, 7],
  [TeamDocument, 'teamId', 16],
  [GuildDocument, 'guildId', 4],
  [GuildEmojisDocument, 'guildId', 5],
  [ApplicationEmojisDocument, 'applicationId', 5],
  [GuildMembersDocument, 'guildId', 5],
  [GuildLogDocument, 'guildId', 7],
  [GuildBansDocument, 'guildId', 5],
  [GuildInvitesDocument, 'guildId', 7],
  [GuildInstallationsDocument, 'guildId', 6],
  [ChannelMessagesDocument, 'channelId', 8, { last: 50 }],
  [BoxesDocument, null, 3],
  [BoxStatisticsDocument, 'boxId', 4],
  [InstancePeopleDocument, null, 4],
  [InstancePersonDocument, 'personId', 9],
  [InstanceBoxesDocument, null, 6],
  [InstanceLimitsDocument, null, 5],
  [InstanceApplicationsDocument, null, 5],
  [InstanceServersDocument, null, 4],
  [InstanceOperatorsDocument, null, 4],
  [InstanceLogDocument, null, 5],
];

const nameOf = ({ definitions: [first] }: DocumentNode) => (first && 'name' in first ? first.name?.value : '');
const LISTED = MOST.map(
  ([document, param, most, more]) => [nameOf(document), { document, param, most, more }] as const,
);

describe('a document of a page takes few statements, and no more for many rows', () => {
  const countOf = async ([, { document, param, more }]: (typeof LISTED)[number]) => {
    const variables = { ...(param && { id: full.params[param] }), ...more };
    const ask = async () => (await statementsOf(() => full.owner.graphql(print(document), variables))).length;
    // The minimum excludes statements of bots and boxes, and those that fill a cache.
    return Math.min(await ask(), await ask(), await ask());
  };
  const few = new Map<string | undefined, number>();
  beforeAll(async () => {
    for (const listed of LISTED) await countOf(listed);
    for (const listed of LISTED) {
      few.set(listed[0], await countOf(listed));
    }
    await multiply();
  });

  it.each(LISTED)('%s', async (name, listed) => {
    const many = await countOf([name, listed]);
    expect(many).toBe(few.get(name));
    expect(many).toBeLessThanOrEqual(listed.most);
  });
});

async function ban(owner: Person, guild: { id: string }, { id: userId }: Person): Promise<void> {
  await owner.graphql('mutation ($input: BanMemberInput!) { banMember(input: $input) { id } }', {
    input: { guildId: guild.id, userId },
  });
}

async function multiply(): Promise<void> {
  const { owner, params, application } = full;
  const [team, guild] = [
    { id: params.teamId, name: '' },
    { id: params.guildId, name: '', textChannelId: params.channelId, voiceChannelId: '' },
  ];
  for (let n = 0; n < 5; n += 1) {
    const [friend, invited] = [await signUp(server, `friend${n}`), await signUp(server, `invited${n}`)];
    await transferApplication(owner, await createApplication(owner, `Bot ${n}`), await createTeam(owner, `Team ${n}`));
    await transferApplication(owner, await createApplication(owner, `Team bot ${n}`), team);
    await createApplication(owner, `Own bot ${n}`);
    await createGuild(owner, `Server ${n}`);
    await makeEmoji(server, owner, { guildId: guild.id }, `emoji_${n}`);
    await makeEmoji(server, owner, { applicationId: application.id }, `emoji_${n}`);
    await makeBox(owner, `Box ${n}`);
    await addToTeam(owner, team, friend, 'DEVELOPER');
    await inviteToTeam(owner, team, invited, 'DEVELOPER');
    await invite(owner, guild, friend);
    await ban(owner, guild, await signUp(server, `banned${n}`));
    await install(owner, await createApplication(owner, `Server bot ${n}`), guild);
    await makeWebhook(server, owner, application, params.channelId);
    await putCommand(server.app, BigInt(application.id), { name: `command-${n}` });
    await sendMessage(friend, params.channelId, `Hello ${n}`);
    await inviteTester(owner, application, friend);
    await makeOperator(server, friend, 'MODERATOR');
  }
}
